package handler_test

import (
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestTheLogSaysWhatChangesMean(t *testing.T) {
	for _, verdict := range []reconcile.Verdict{reconcile.Patched, reconcile.DryRun} {
		o := reconcile.Outcome{Verdict: verdict}
		o.Plan.Changes = []plan.Change{{Action: plan.Added, Listener: "a"}, {Action: plan.Removed, Listener: "b"}}
		got := logOf(t, o)
		if got.Impact != "Disruptive" || len(got.Changes) != 2 || got.Changes[0].Impact != "Additive" ||
			got.Changes[1].Impact != "Disruptive" || got.Changes[1].ImpactReason == "" {
			t.Errorf("%s: impact %s of changes %+v; want Disruptive of one that is Additive and one that is Disruptive", verdict, got.Impact, got.Changes)
		}
	}
}
