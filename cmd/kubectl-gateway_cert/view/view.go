package view

import (
	"cmp"
	"maps"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// View is what was read. Nothing of it is modified.
type View struct {
	// Gateways that there are, whole, by name.
	Gateways map[types.NamespacedName]*gatewayv1.Gateway
	// Hidden are Gateways of which not even the absence can be told.
	Hidden map[types.NamespacedName]bool
	// Certificates that were read, whole, in any order.
	Certificates []certmanagerv1.Certificate
	// From are the namespaces whose Certificates were read; nil stands for all.
	From map[string]bool
	// Namespaces that there are, by name.
	Namespaces map[string]metav1.ObjectMeta
	// Closed are namespaces whose labels and annotations could not be read.
	Closed map[string]bool
	// Grants are the ReferenceGrants; nil if not known, and then none is missed.
	Grants []gatewayv1.ReferenceGrant
	// Told is what the handler has told lately of a Gateway, by Events.
	Told map[types.NamespacedName][]plan.Finding
	// Defaults are those of the handler's settings.
	Defaults plan.Defaults
	// Gaps are the rights that were missing, each once.
	Gaps []Gap
}

// Miss takes note of a missing right.
func (v *View) Miss(gap Gap) {
	if !slices.Contains(v.Gaps, gap) {
		v.Gaps = append(v.Gaps, gap)
	}
}

// Gateway returns a Gateway that can carry listeners: one that is being deleted
// is as good as gone.
func (v *View) Gateway(name types.NamespacedName) (*gatewayv1.Gateway, bool) {
	gateway := v.Gateways[name]
	return gateway, gateway != nil && gateway.DeletionTimestamp == nil
}

// Certificate returns one that was read.
func (v *View) Certificate(name types.NamespacedName) (*certmanagerv1.Certificate, bool) {
	for i := range v.Certificates {
		if plan.NameOf(&v.Certificates[i]) == name {
			return &v.Certificates[i], true
		}
	}
	return nil, false
}

// CertificatesOf returns those whose labels name the Gateway, by name.
func (v *View) CertificatesOf(gateway types.NamespacedName) []certmanagerv1.Certificate {
	var found []certmanagerv1.Certificate
	for i := range v.Certificates {
		if target, ok := plan.Target(&v.Certificates[i]); ok && target == gateway {
			found = append(found, v.Certificates[i])
		}
	}
	slices.SortFunc(found, func(a, b certmanagerv1.Certificate) int { return ByName(plan.NameOf(&a), plan.NameOf(&b)) })
	return found
}

// Concerned returns the Gateways that are the handler's business: those that it
// has marked and those that Certificates name, whether or not they exist, as far
// as they are in the namespace; empty means all. They come by name.
func (v *View) Concerned(namespace string) []types.NamespacedName {
	names := map[types.NamespacedName]bool{}
	for name, gateway := range v.Gateways {
		if gateway.Labels[plan.ManagedKey] == plan.ManagedValue {
			names[name] = true
		}
	}
	for i := range v.Certificates {
		if target, ok := plan.Target(&v.Certificates[i]); ok && v.Certificates[i].DeletionTimestamp == nil {
			names[target] = true
		}
	}
	maps.DeleteFunc(names, func(name types.NamespacedName, _ bool) bool {
		return namespace != "" && name.Namespace != namespace
	})
	return slices.SortedFunc(maps.Keys(names), ByName)
}

// ByName orders objects by namespace, then by name.
func ByName(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
