package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Words that annotations are written in.
const (
	valueAll                  = "All"
	valueSame                 = "Same"
	valueCertificateNamespace = "CertificateNamespace"
	selectorPrefix            = "Selector:"
	valueAlways               = "Always"
	valueWhenReady            = "WhenReady"
	valueGateway              = "Gateway"
)

// Annotations are a tenant's or an owner's to write, up to 256 KiB. What they are
// copied into, or said of them, must not come near that.
const (
	// maxSelectorLength bounds a label selector, which is copied into every
	// listener, in bytes.
	maxSelectorLength = 1 << 10
	// maxHostnamePatterns bounds a list of hostnames.
	maxHostnamePatterns = 256
	// maxFaultsTold bounds how many faults of one annotation are told.
	maxFaultsTold = 3
)

// The parsers below return, beside an error, the strictest reading: an
// annotation that cannot be read never allows more than one that can.

// parseCertificateNamespaces reads [CertificateNamespacesKey].
func parseCertificateNamespaces(text, gatewayNamespace string) (func(namespace metav1.ObjectMeta) bool, error) {
	same := func(namespace metav1.ObjectMeta) bool { return namespace.Name == gatewayNamespace }
	switch selector, isSelector := strings.CutPrefix(text, selectorPrefix); {
	case text == valueSame:
		return same, nil
	case text == valueAll:
		return func(metav1.ObjectMeta) bool { return true }, nil
	case isSelector:
		chosen, err := parseSelector(selector)
		if err != nil {
			return same, err
		}
		return func(namespace metav1.ObjectMeta) bool { return chosen.Matches(labels.Set(namespace.Labels)) }, nil
	}
	return same, fmt.Errorf("want %s, %s or %q", valueSame, valueAll, selectorPrefix+" <label selector>")
}

// parseAllowedHostnames reads [AllowedHostnamesKey].
func parseAllowedHostnames(text string) (hostnamePatterns, error) {
	allowed := hostnamePatterns{}
	var faults []error
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		pattern, err := NormalizeHostname(part)
		switch {
		case err == nil && len(allowed) == maxHostnamePatterns:
			return allowed, fmt.Errorf("there are more than %d hostnames; the others do not count", maxHostnamePatterns)
		case err == nil:
			allowed = append(allowed, pattern)
		case len(faults) == maxFaultsTold:
			return allowed, errors.Join(append(faults, errors.New("and more; nothing counts from there on"))...)
		default:
			faults = append(faults, fmt.Errorf("%.64q: %w", part, err))
		}
	}
	return allowed, errors.Join(faults...)
}

// parseAllowedRoutes reads [AllowedRoutesKey] for a Certificate's listeners.
func parseAllowedRoutes(text, certificateNamespace string) (*gatewayv1.RouteNamespaces, error) {
	switch selector, isSelector := strings.CutPrefix(text, selectorPrefix); {
	case text == valueAll:
		return &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}, nil
	case text == valueSame:
		return &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromSame)}, nil
	case text == valueCertificateNamespace:
		return routesOf(certificateNamespace), nil
	case isSelector:
		chosen, err := parseRouteSelector(selector)
		if err != nil {
			return routesOf(certificateNamespace), err
		}
		return &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromSelector), Selector: chosen}, nil
	}
	return routesOf(certificateNamespace), fmt.Errorf("want %s, %s, %s or %q",
		valueAll, valueSame, valueCertificateNamespace, selectorPrefix+" <label selector>")
}

// checkAllowedRoutes is for who does not know the Certificate yet: it returns
// the text if it can be read.
func checkAllowedRoutes(text string) (string, error) {
	if _, err := parseAllowedRoutes(text, ""); err != nil {
		return "", err
	}
	return text, nil
}

// parsePort reads [ListenerPortKey].
func parsePort(text string) (gatewayv1.PortNumber, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("want a port from 1 to 65535")
	}
	return gatewayv1.PortNumber(port), nil
}

// parseMaxListeners reads [MaxListenersKey].
func parseMaxListeners(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, errors.New("want a number from 0")
	}
	return min(int(n), maxListeners), nil
}

// parseAttach reads [AttachKey]; true means to wait until a Certificate is ready.
func parseAttach(text string) (whenReady bool, _ error) {
	return choice(text, valueAlways, valueWhenReady)
}

// parsePaused reads [PausedKey].
func parsePaused(text string) (paused bool, _ error) {
	return choice(text, "false", "true")
}

// parseMode reads [ModeKey].
func parseMode(text string) (dryRun bool, _ error) {
	return choice(text, string(ModeApply), string(ModeDryRun))
}

// choice reads one of two words, of which the second is the stricter.
func choice(text, lax, strict string) (isStrict bool, _ error) {
	switch text {
	case lax:
		return false, nil
	case strict:
		return true, nil
	}
	return true, fmt.Errorf("want %s or %s", lax, strict)
}
