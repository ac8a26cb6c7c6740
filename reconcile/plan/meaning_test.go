package plan_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// The texts that a [world] is made of, each with its meaning, so that what the
// planner makes of them can be judged without its code.

var (
	namespaceNames = []string{"infra", "team-a", "team-b"}

	gatewayKeys = []string{
		plan.CertificateNamespacesKey, plan.AllowedHostnamesKey, plan.AllowedRoutesKey, plan.ListenerPortKey,
		plan.MaxListenersKey, plan.PublishKey, plan.AttachKey, plan.PausedKey, plan.ModeKey, issuerKey, ignoreKey,
	}

	// sayings are a key's texts; the earlier come more often.
	sayings = map[string][]string{
		plan.CertificateNamespacesKey: {"All", "Selector: env=prod", "Same", "Selector: !tier", "Selector: env in (dev)", "", "all", "Selector:"},
		plan.AllowedHostnamesKey:      {"*.example.com, c.com", "*.com", "B-C.com,xn--bcher-kva.example", "", "*,c.com"},
		plan.AllowedRoutesKey:         {"All", "Same", "CertificateNamespace", "Selector: env=prod", "", "all"},
		plan.ListenerPortKey:          {"8443", "443", "", "https", "80"},
		plan.MaxListenersKey:          {"64", "3", "1000", "1", "", "many", "0"},
		plan.PublishKey:               {"Gateway", "Gateway", "ListenerSet", ""},
		plan.AttachKey:                {"WhenReady", "Always", "", "ready"},
		plan.PausedKey:                {"false", "false", "false", "true", ""},
		plan.ModeKey:                  {"Apply", "DryRun", "", "dryrun"},
		issuerKey:                     {"ca", ""},
		ignoreKey:                     {"http , x", "auto-a-c-com,,x", ""},
	}

	entriesOf = []plan.Entry{
		{Certificate: named("infra", "a")}, {Certificate: named("team-a", "a-b")}, {Certificate: named("x", "gone")},
		{Certificate: named("infra", "b"), Refused: "0123456789abcdef"}, {Certificate: named("infra", "a"), Kept: "0123456789abcdef"},
	}

	// hostnamesOf maps a DNS name to its hostname; empty if it has none.
	hostnamesOf = map[string]string{
		"c.com": "c.com", "b-c.com": "b-c.com", "b.c.com": "b.c.com", "*.c.com": "*.c.com", "wildcard.c.com": "wildcard.c.com",
		"a.example.com": "a.example.com", "A.EXAMPLE.com.": "a.example.com", "*.example.com": "*.example.com", "bücher.example": "xn--bcher-kva.example",
		"bad_name": "", "10.0.0.1": "", "*": "",
	}
	dnsNamesOf = slices.Sorted(maps.Keys(hostnamesOf))
)

const issuerKey = "cert-manager.io/cluster-issuer"

// defaultsOf are the fields of the defaults by the key that they stand in for.
func defaultsOf(d *plan.Defaults) map[string]*string {
	return map[string]*string{
		plan.CertificateNamespacesKey: &d.CertificateNamespaces, plan.AllowedHostnamesKey: &d.AllowedHostnames,
		plan.AllowedRoutesKey: &d.AllowedRoutes, plan.ListenerPortKey: &d.ListenerPort,
		plan.MaxListenersKey: &d.MaxListeners, plan.AttachKey: &d.Attach,
	}
}

// said returns the Gateway's text, else the default's, else what holds without
// either.
func said(in plan.Input, key, otherwise string) string {
	if text, ok := in.Gateway.Annotations[key]; ok {
		return text
	}
	if field, ok := defaultsOf(&in.Defaults)[key]; ok && *field != "" {
		return *field
	}
	return otherwise
}

func namespaceAllowed(in plan.Input, name string) bool {
	labels := in.Namespaces[name].Labels
	switch said(in, plan.CertificateNamespacesKey, "Same") {
	case "All":
		return true
	case "Selector: env=prod":
		return labels["env"] == "prod"
	case "Selector: env in (dev)":
		return labels["env"] == "dev"
	case "Selector: !tier":
		return labels["tier"] == ""
	}
	return name == "infra"
}

func hostnameAllowed(text, hostname string) bool {
	switch text {
	case "*.example.com, c.com":
		return strings.HasSuffix(hostname, ".example.com") || hostname == "c.com"
	case "*.com":
		return strings.HasSuffix(hostname, ".com")
	case "B-C.com,xn--bcher-kva.example":
		return hostname == "b-c.com" || hostname == "xn--bcher-kva.example"
	case "*,c.com":
		return hostname == "c.com"
	case "any":
		return true
	}
	return false
}

func bothAllow(in plan.Input, namespace, hostname string) bool {
	tenant, ok := in.Namespaces[namespace].Annotations[plan.AllowedHostnamesKey]
	return hostnameAllowed(said(in, plan.AllowedHostnamesKey, "any"), hostname) && (!ok || hostnameAllowed(tenant, hostname))
}

// routesAllowed is "All", "Same", "own" for the Certificate's namespace, or the
// label selected.
//
// What cannot be read counts for nothing, but that it takes "All" away.
func routesAllowed(in plan.Input, c *certmanagerv1.Certificate) string {
	read := map[string]string{"All": "All", "Same": "Same", "CertificateNamespace": "own", "Selector: env=prod": "env=prod"}
	allowed, slip := "own", false
	if c.Namespace == "infra" {
		allowed = "All"
	}
	if text := in.Defaults.AllowedRoutes; text != "" {
		allowed = cmp.Or(read[text], "own")
	}
	text, said := in.Gateway.Annotations[plan.AllowedRoutesKey]
	if read[text] != "" {
		return read[text]
	}
	slip = said
	text, said = c.Annotations[plan.AllowedRoutesKey]
	if read[text] != "" {
		allowed = read[text]
	} else {
		slip = slip || said
	}
	if slip && allowed == "All" {
		return "own"
	}
	return allowed
}

func routesServed(l *gatewayv1.Listener, certificateNamespace string) string {
	from := l.AllowedRoutes.Namespaces
	if from.Selector == nil {
		return string(*from.From)
	}
	selected, err := metav1.LabelSelectorAsSelector(from.Selector)
	own := labels.Set{"kubernetes.io/metadata.name": certificateNamespace}
	switch {
	case err != nil:
		return err.Error()
	case selected.Matches(labels.Set{"env": "prod"}) && !selected.Matches(own):
		return "env=prod"
	case selected.Matches(own) && !selected.Matches(labels.Set{"env": "prod"}):
		return "own"
	}
	return selected.String()
}

// portAsked is 0 where it cannot be read.
func portAsked(in plan.Input, c *certmanagerv1.Certificate) gatewayv1.PortNumber {
	text := c.Annotations[plan.ListenerPortKey]
	if text == "" {
		text = in.Gateway.Annotations[plan.ListenerPortKey]
	}
	if text == "" {
		text = in.Defaults.ListenerPort
	}
	return map[string]gatewayv1.PortNumber{"": 443, "443": 443, "8443": 8443, "80": 80}[text]
}

// mostOfOurs is -1 where it cannot be read: then nothing is added.
func mostOfOurs(in plan.Input) int {
	most, ok := map[string]int{"64": 64, "1000": 64, "3": 3, "1": 1, "0": 0}[said(in, plan.MaxListenersKey, "64")]
	if !ok {
		return -1
	}
	return most
}

func takesNothingNew(in plan.Input) bool {
	return mostOfOurs(in) < 0 || said(in, plan.PublishKey, "Gateway") != "Gateway"
}

func waitsForReady(in plan.Input) bool { return said(in, plan.AttachKey, "Always") != "Always" }

// isDryRun is so by either word.
func isDryRun(in plan.Input) bool {
	text, said := in.Gateway.Annotations[plan.ModeKey]
	return said && text != "Apply" || in.Defaults.Mode == plan.ModeDryRun
}

func isPaused(in plan.Input) bool { return said(in, plan.PausedKey, "false") != "false" }
