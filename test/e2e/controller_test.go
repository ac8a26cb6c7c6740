package e2e

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Nothing but the status changes, so that the event of that alone has to do it.
func TestWhatAControllerSaysOfAListenerReachesItsCertificate(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	gateway := p.Gateway("edge")
	gateway.Status.Listeners = []gatewayv1.ListenerStatus{{
		Name: "auto-app-app-example-com", SupportedKinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}},
		Conditions: []metav1.Condition{{
			Type: string(gatewayv1.ListenerConditionAccepted), Status: metav1.ConditionFalse,
			Reason: string(gatewayv1.ListenerReasonPortUnavailable), Message: "port 443 is in use",
			ObservedGeneration: gateway.Generation, LastTransitionTime: metav1.Now(),
		}},
	}}
	_, err := p.Gateways.UpdateStatus(t.Context(), gateway, metav1.UpdateOptions{FieldManager: "controller"})
	must(t, err)
	core, err := kubernetes.NewForConfig(system.Config())
	must(t, err)
	err = wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(ctx context.Context) (bool, error) {
		events, err := core.EventsV1().Events(p.Name).List(ctx, metav1.ListOptions{})
		must(t, err)
		for _, e := range events.Items {
			if e.Regarding.Name == "app" && e.Reason == string(plan.ReasonListenerNotAccepted) && strings.Contains(e.Note, "port 443 is in use") {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Errorf("after %s there is no Event %s on the Certificate", patience, plan.ReasonListenerNotAccepted)
	}
}
