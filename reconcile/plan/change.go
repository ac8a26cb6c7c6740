package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Action is what happens to a listener.
type Action string

// The actions.
const (
	Added   Action = "Added"
	Changed Action = "Changed"
	Removed Action = "Removed"
)

// Change is one listener of ours that comes, goes or differs.
type Change struct {
	Action      Action
	Listener    gatewayv1.SectionName
	Hostname    gatewayv1.Hostname
	Certificate types.NamespacedName
	// Fields are the paths within the listener that differ; set with [Changed].
	Fields []string
	// Restored is set with [Added] where the listener was there before and
	// somebody else has taken it off.
	Restored bool
}

// listenerFields are the parts of a listener, each with its path. A listener of
// ours is ours whole, so every field is here.
var listenerFields = []struct {
	path  string
	value func(*gatewayv1.Listener) any
}{
	{"hostname", func(l *gatewayv1.Listener) any { return l.Hostname }},
	{"port", func(l *gatewayv1.Listener) any { return l.Port }},
	{"protocol", func(l *gatewayv1.Listener) any { return l.Protocol }},
	{"tls.mode", func(l *gatewayv1.Listener) any { return tlsOf(l).Mode }},
	{"tls.certificateRefs", func(l *gatewayv1.Listener) any { return tlsOf(l).CertificateRefs }},
	{"tls.options", func(l *gatewayv1.Listener) any { return tlsOf(l).Options }},
	{"allowedRoutes.namespaces", func(l *gatewayv1.Listener) any { return allowedRoutesOf(l).Namespaces }},
	{"allowedRoutes.kinds", func(l *gatewayv1.Listener) any { return allowedRoutesOf(l).Kinds }},
}

// differingFields compares two listeners of a Gateway in that namespace.
func differingFields(have, want *gatewayv1.Listener, gatewayNamespace string) []string {
	if sameReferences(have, want, gatewayNamespace) {
		have = have.DeepCopy()
		have.TLS.CertificateRefs = want.TLS.CertificateRefs
	}
	var paths []string
	for _, field := range listenerFields {
		if !equality.Semantic.DeepEqual(field.value(have), field.value(want)) {
			paths = append(paths, field.path)
		}
	}
	return paths
}

// sameReferences reports whether two listeners refer to the same Secrets. The
// Gateway's own namespace may be spelled out, as the gateway-cert-operator did.
func sameReferences(a, b *gatewayv1.Listener, gatewayNamespace string) bool {
	return a.TLS != nil && b.TLS != nil && slices.EqualFunc(a.TLS.CertificateRefs, b.TLS.CertificateRefs,
		func(x, y gatewayv1.SecretObjectReference) bool {
			return equality.Semantic.DeepEqual(withoutNamespace(x, gatewayNamespace), withoutNamespace(y, gatewayNamespace))
		})
}

func withoutNamespace(ref gatewayv1.SecretObjectReference, namespace string) gatewayv1.SecretObjectReference {
	if ref.Namespace != nil && string(*ref.Namespace) == namespace {
		ref.Namespace = nil
	}
	return ref
}

func tlsOf(l *gatewayv1.Listener) gatewayv1.ListenerTLSConfig {
	if l.TLS == nil {
		return gatewayv1.ListenerTLSConfig{}
	}
	return *l.TLS
}

func allowedRoutesOf(l *gatewayv1.Listener) gatewayv1.AllowedRoutes {
	if l.AllowedRoutes == nil {
		return gatewayv1.AllowedRoutes{}
	}
	return *l.AllowedRoutes
}
