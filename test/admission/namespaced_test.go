package admission

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// kustomize does not know that these kinds are of no namespace, and an overlay
// with a namespace gives them one.
func TestANamespaceInThePolicyDoesNoHarm(t *testing.T) {
	c := mustClient(t)
	policy, binding, err := readPolicy()
	namespace.Must(t, err)
	for _, object := range []client.Object{policy, binding} {
		object.SetName("elsewhere")
		object.SetNamespace("elsewhere")
		if err := c.Create(t.Context(), object, client.DryRunAll); err != nil {
			t.Error(err)
		}
		if object.GetNamespace() != "" {
			t.Errorf("%s is in %q", object.GetName(), object.GetNamespace())
		}
	}
}
