package view

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// About returns the findings that bear on a DNS name of a Certificate, as that
// spells it: those on the name alone, and those on the whole Certificate.
func About(findings []plan.Finding, certificate types.NamespacedName, dnsName string) (onName, onAll []plan.Finding) {
	hostname, err := plan.NormalizeHostname(dnsName)
	for _, f := range findings {
		switch {
		case f.Certificate != certificate:
		case f.Hostname == "":
			onAll = append(onAll, f)
		case err == nil && spells(f.Hostname, hostname), f.Hostname == fmt.Sprintf("%.256s", dnsName): // so the planner cuts one that is none
			onName = append(onName, f)
		}
	}
	return onName, onAll
}

// spells goes by what is behind the spelling.
func spells(told string, hostname gatewayv1.Hostname) bool {
	if told == string(hostname) {
		return true
	}
	normalized, err := plan.NormalizeHostname(told)
	return err == nil && normalized == hostname
}

// Serves reports whether a listener of that hostname takes requests for the
// other, by the Gateway API's rules: none takes all, and "*.example.com" takes
// one or more labels before ".example.com".
func Serves(listener *gatewayv1.Hostname, hostname gatewayv1.Hostname) bool {
	if listener == nil || *listener == "" || *listener == hostname {
		return true
	}
	return len(*listener) > 2 && (*listener)[:2] == "*." && hasSuffix(hostname, (*listener)[1:])
}

func hasSuffix(hostname, suffix gatewayv1.Hostname) bool {
	return len(hostname) > len(suffix) && hostname[len(hostname)-len(suffix):] == suffix
}
