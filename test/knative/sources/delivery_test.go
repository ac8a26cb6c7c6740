package sources

import (
	"context"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	events "gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// expect waits until such an event has arrived and the handler has dealt with it.
func (s *sink) expect(t *testing.T, what string, is func(sent) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		return len(s.arrived(func(e sent) bool { return is(e) && e.Status == http.StatusNoContent })) > 0, nil
	})
	if err != nil {
		t.Fatalf("after %s no %s has arrived and been answered 204; there were %+v", patience, what, s.arrived(is))
	}
}

// expectListeners waits until a Gateway has so many listeners, the user's included.
func expectListeners(t *testing.T, in *namespace.Namespace, gateway string, want int) {
	t.Helper()
	var got int
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		got = len(in.Gateway(gateway).Spec.Listeners)
		return got == want, nil
	})
	if err != nil {
		t.Fatalf("after %s Gateway %s has %d listeners, want %d", patience, gateway, got, want)
	}
}

func TestACertificateArrivesThroughWhatTheControllerMadeOfTheApiServerSource(t *testing.T) {
	knative.Need(t)
	in := namespace.New(t, system.Config())
	in.CreateGateway("edge", nil)
	in.CreateCertificate("app", "edge", "app.example.com")
	system.sink.expect(t, "event of the Certificate", func(e sent) bool {
		return e.Type == events.ResourceAdd && e.Kind == "Certificate" && e.Namespace == in.Name && e.Name == "app"
	})
	expectListeners(t, in, "edge", 2)
}

func TestAGatewayArrivesThroughWhatTheControllerMadeOfTheContainerSource(t *testing.T) {
	knative.Need(t)
	in := namespace.New(t, system.Config())
	in.CreateGateway("edge", nil)
	in.CreateCertificate("app", "edge", "app.example.com")
	expectListeners(t, in, "edge", 2)

	// The listener is taken off; only the Gateway's own event can bring it back.
	gateway := in.Gateway("edge")
	gateway.Spec.Listeners = gateway.Spec.Listeners[:1]
	_, err := in.Gateways.Update(t.Context(), gateway, metav1.UpdateOptions{FieldManager: "somebody"})
	namespace.Must(t, err)
	expectListeners(t, in, "edge", 2)
	system.sink.expect(t, "event of the Gateway", func(e sent) bool {
		return e.Type == events.ResourceUpdate && e.Kind == "Gateway" && e.Namespace == in.Name && e.Name == "edge"
	})
}

// The schedule is of ten minutes, which nobody wants to wait for. Nothing else of
// the PingSource is changed.
func TestASweepArrivesThroughKnativesAdapterOfPingSources(t *testing.T) {
	knative.Need(t)
	var source struct{ Spec struct{ Schedule string } }
	system.read(t, &source, "pingsource", "sweep")
	schedule(t, "* * * * * *")
	t.Cleanup(func() { schedule(t, source.Spec.Schedule) })
	system.sink.expect(t, "ping", func(e sent) bool {
		return e.Type == events.Ping && e.Source == "/apis/v1/namespaces/"+stack.Namespace+"/pingsources/sweep"
	})
}

// schedule has the sweep be at other times.
func schedule(t *testing.T, times string) {
	t.Helper()
	_, err := system.Kubectl(system.ctx, "", "-n", stack.Namespace, "patch", "pingsource", "sweep",
		"--type=merge", "-p", `{"spec":{"schedule":"`+times+`"}}`)
	namespace.Must(t, err)
}
