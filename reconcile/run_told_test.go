package reconcile_test

import (
	"slices"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestTheOwnerIsToldOfListenersThatWentOnceTheyHave(t *testing.T) {
	disrupted := func(f *faulty) bool {
		return slices.ContainsFunc(f.recorded, func(e cluster.Event) bool {
			return e.Reason == string(plan.ReasonListenersDisrupted) && e.Regarding.Kind == "Gateway"
		})
	}
	standing, certificates := served(2)
	standing.UID = "1"
	for name, tc := range map[string]struct {
		certificates int // of two that have listeners
		want         bool
	}{
		"one went":     {1, true},
		"nothing went": {2, false},
	} {
		f := &faulty{gateways: []gatewayv1.Gateway{standing}, certificates: certificates[:tc.certificates]}
		if _, _, err := handle(t, f, addOfApp()); err != nil {
			t.Fatal(err)
		}
		if got := disrupted(f); got != tc.want {
			t.Errorf("%s: told %v, want %v", name, got, tc.want)
		}
	}
}
