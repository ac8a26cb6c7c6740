package plan

import (
	"maps"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Input is all that a plan depends on. Nothing of it is modified.
type Input struct {
	// Gateway as it stands.
	Gateway *gatewayv1.Gateway
	// Certificates are all those whose labels name the Gateway, in any order.
	Certificates []certmanagerv1.Certificate
	// Namespaces are the Certificates' Namespaces, by name. A Certificate whose
	// Namespace is not among them is gone with it. Nil means that they are not
	// known: then none has labels, or annotations that bind its Certificates.
	Namespaces map[string]metav1.ObjectMeta
	// Grants are the ReferenceGrants of all namespaces; nil if not known, and
	// then none is missed.
	Grants []gatewayv1.ReferenceGrant
	// Defaults hold where the Gateway's owner says nothing.
	Defaults Defaults
	// Refused are the listeners whose change the API server would not have, each
	// with its words. They stay as they stand.
	Refused map[gatewayv1.SectionName]string
	// Only, if it is not nil, are the listeners that may change. What else would
	// is left for another plan.
	Only map[gatewayv1.SectionName]bool
}

// NamespacesOf returns the namespaces of the Certificates, each once, by name.
func NamespacesOf(certificates []certmanagerv1.Certificate) []string {
	names := map[string]struct{}{}
	for i := range certificates {
		names[certificates[i].Namespace] = struct{}{}
	}
	return slices.Sorted(maps.Keys(names))
}

// namespace returns a Namespace's metadata; false if there is no such Namespace.
func (in Input) namespace(name string) (metav1.ObjectMeta, bool) {
	if in.Namespaces == nil {
		return metav1.ObjectMeta{Name: name}, true
	}
	meta, ok := in.Namespaces[name]
	return meta, ok
}
