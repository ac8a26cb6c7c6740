package plan

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Consent is a Gateway owner's word on whose Certificates may attach.
type Consent struct {
	// OwnOnly is set where no other namespace than the Gateway's may.
	OwnOnly bool
	// ByLabels is set where it takes a Namespace's labels to say.
	ByLabels bool
	attaches func(namespace metav1.ObjectMeta) bool
}

// ConsentOf reads it from the Gateway, or from the defaults.
func ConsentOf(gateway *gatewayv1.Gateway, defaults Defaults) Consent {
	in := Input{Gateway: gateway, Defaults: defaults}
	t := &terms{}
	t.readNamespaces(in)
	said := in.say(CertificateNamespacesKey, cmp.Or(defaults.CertificateNamespaces, valueSame))
	slipped := len(t.findings) > 0
	byLabels := strings.HasPrefix(said, selectorPrefix) && !slipped
	return Consent{OwnOnly: said == valueSame || slipped, ByLabels: byLabels, attaches: t.attaches}
}

// Admits reports whether Certificates of the namespace may attach.
func (c Consent) Admits(namespace metav1.ObjectMeta) bool { return c.attaches(namespace) }

// IsPaused reports whether the Gateway's owner has paused it.
func IsPaused(gateway *gatewayv1.Gateway) bool {
	paused, _ := parsePaused(Input{Gateway: gateway}.say(PausedKey, "false"))
	return paused
}
