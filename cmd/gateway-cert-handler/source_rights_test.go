package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/rights"
)

const sourceAccount = "gateway-cert-source"

// sourceRights are the rights that authentication adds to those of the adapter in
// the base, which are taken away elsewhere.
func sourceRights(t *testing.T) []rights.Right {
	t.Helper()
	found := rights.Without(rights.Of(t, authExample, sourceAccount), rights.Of(t, "../../knative/examples/overlay", sourceAccount)...)
	if len(found) == 0 {
		t.Fatal("the example adds no right")
	}
	return found
}

// That it is heard with all of them is shown where nobody else is.
func TestTheAdapterNeedsEachRightThatAuthenticationAdds(t *testing.T) {
	g := newGuarded(t)
	source := rights.User{Config: g.plane.Config(), Name: "system:serviceaccount:gateway-cert:" + sourceAccount}
	for _, taken := range sourceRights(t) {
		t.Run(taken.String(), func(t *testing.T) {
			source.Take(t, taken)
			log := g.startAdapter(t)
			user := namespace.New(t, g.plane.Config())
			user.CreateCertificate("app", "edge", "app.example.com")
			user.CreateGateway("edge", nil) // of this the adapter tells
			heard := false
			err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
				heard = len(user.Gateway("edge").Spec.Listeners) == 2
				return heard || saysError(log, taken.Refusal()), nil
			})
			if err != nil || heard {
				t.Errorf("without it the adapter was heard: %t, want it to say %q (%v):\n%s", heard, taken.Refusal(), err, log)
			}
		})
	}
}

// startAdapter starts the adapter of the ContainerSource until the test ends, and
// returns its log.
func (g *guarded) startAdapter(t *testing.T) *recording.Log {
	t.Helper()
	log := &recording.Log{}
	adapter, err := controlplane.StartAdapter(t.Context(), controlplane.AdapterOptions{
		Assets: g.assets, Kubeconfig: g.accountKubeconfig(sourceAccount), Env: g.adapterEnvironment(), Namespace: "gateway-cert", Output: log,
	})
	namespace.Must(t, err)
	t.Cleanup(func() { namespace.Must(t, adapter.Stop(10*time.Second)) })
	namespace.Must(t, adapter.WaitUntilWatching(t.Context()))
	return log
}

// saysError tells whether a line of the log has an error with these words.
func saysError(log *recording.Log, words string) bool {
	for line := range strings.Lines(log.String()) {
		var entry struct{ Error string }
		if json.Unmarshal([]byte(line), &entry) == nil && strings.Contains(entry.Error, words) {
			return true
		}
	}
	return false
}
