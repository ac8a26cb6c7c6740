package reconcile_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// inDryRun is a cluster whose Gateway lacks a listener and is in a dry run, with a
// ledger, so that a sweep finds it by its label.
func inDryRun() *faulty {
	standing, certificates := served(2)
	standing.Annotations[plan.ModeKey] = "DryRun"
	standing.UID = "1"
	more := certificateFor("edge")
	return &faulty{gateways: []gatewayv1.Gateway{standing}, certificates: append(certificates, more)}
}

func reconcilerFor(f *faulty, defaults plan.Defaults) *reconcile.Reconciler {
	return reconcile.New(reconcile.Options{
		Cluster: f, Policy: func() reconcile.Policy { return reconcile.Policy{Defaults: defaults} }, Tracing: noop.NewTracerProvider(),
	})
}

func TestADryRunWritesNothingAndSaysWhatItWould(t *testing.T) {
	for name, prepare := range map[string]func(*faulty) plan.Defaults{
		"by its annotation": func(*faulty) plan.Defaults { return plan.Defaults{} },
		"by the handler's settings": func(f *faulty) plan.Defaults {
			f.gateways[0].Annotations[plan.ModeKey] = "Apply"
			return plan.Defaults{Mode: plan.ModeDryRun}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := inDryRun()
			outcomes, err := reconcilerFor(f, prepare(f)).Handle(t.Context(), addOfApp())
			if err != nil {
				t.Fatal(err)
			}
			o := outcomes[0]
			if o.Verdict != reconcile.DryRun || f.writes+f.tries != 0 || len(o.Written()) != 0 {
				t.Errorf("%s after %d writes of %+v, want DryRun after none: %v", o.Verdict, f.writes+f.tries, o.Written(), o.Err)
			}
			if planned := o.Planned(); len(planned) != 1 || planned[0].Listener != "auto-app-app-example-com" {
				t.Errorf("planned is %+v, want one listener to come", planned)
			}
			if len(f.recorded) != 1 || f.recorded[0].Regarding.Kind != "Gateway" || f.recorded[0].Reason != "DryRun" ||
				!strings.Contains(f.recorded[0].Note, name) || !strings.Contains(f.recorded[0].Note, "1 would be added") {
				t.Errorf("Events are %+v, want one on the Gateway that says what would be written, and %s", f.recorded, name)
			}
		})
	}
}

func TestADryRunIsNotMadeOrToldAgainWhereNothingHasChanged(t *testing.T) {
	f := inDryRun()
	r := reconcilerFor(f, plan.Defaults{})
	status := f.gateways[0].DeepCopy()
	status.ResourceVersion = "8"
	for _, change := range []reconcile.Change{
		addOfApp(), addOfApp(), changeOf(reconcile.Gateway, reconcile.Update, status.ObjectMeta),
	} {
		if _, err := r.Handle(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if f.reads != 1 || len(f.recorded) != 1 {
		t.Errorf("%d looks and %d Events, want one each", f.reads, len(f.recorded))
	}
}

func TestASweepTakesADryRunNeitherForHealedNorForFailed(t *testing.T) {
	f := inDryRun()
	outcomes, err := reconcilerFor(f, plan.Defaults{}).Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := reconcile.Sum(outcomes), (reconcile.Totals{Checked: 1}); got != want || outcomes[0].Verdict != reconcile.DryRun {
		t.Errorf("%s, and in all %+v; want DryRun and %+v", outcomes[0].Verdict, got, want)
	}
	if f.writes != 0 {
		t.Errorf("%d writes, want none", f.writes)
	}
}

func TestAGatewayInADryRunThatIsAsItShouldBeIsUnchanged(t *testing.T) {
	f := inDryRun()
	f.certificates = f.certificates[:2]
	outcomes, err := reconcilerFor(f, plan.Defaults{}).Handle(t.Context(), addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.Unchanged || len(f.recorded) != 0 {
		t.Errorf("%+v, %v, with Events %+v; want Unchanged without any", outcomes, err, f.recorded)
	}
}

// What a dry run tells of must be as true as what is written.
func TestWhatADryRunWouldRemoveIsConfirmedToo(t *testing.T) {
	f := inDryRun()
	f.certificates, f.unseen = f.certificates[:1], f.certificates[1:2]
	o, attributes := runSpan(t, f)
	if o.Verdict != reconcile.Unchanged || attributes["gateway_cert.removal.confirmed"].AsBool() {
		t.Errorf("%s with %+v planned, want Unchanged after a second look", o.Verdict, o.Planned())
	}
}

func TestOnceTheDryRunEndsThePlanIsCarriedOut(t *testing.T) {
	f := inDryRun()
	r := reconcilerFor(f, plan.Defaults{})
	if _, err := r.Handle(t.Context(), addOfApp()); err != nil {
		t.Fatal(err)
	}
	delete(f.gateways[0].Annotations, plan.ModeKey)
	f.gateways[0].ResourceVersion = "8"
	outcomes, err := r.Handle(t.Context(), changeOf(reconcile.Gateway, reconcile.Update, f.gateways[0].ObjectMeta))
	if err != nil || outcomes[0].Verdict != reconcile.Patched || f.writes != 1 {
		t.Errorf("%+v, %v after %d writes; want Patched after one", outcomes, err, f.writes)
	}
}
