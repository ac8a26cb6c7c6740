package reconcile_test

import (
	"context"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// meanwhile has something happen while the Certificates are being read.
type meanwhile struct {
	*faulty
	happens func()
}

func (m *meanwhile) Gateway(ctx context.Context, name types.NamespacedName) (*gatewayv1.Gateway, error) {
	defer m.happens()
	return m.faulty.Gateway(ctx, name)
}

// policies are in force one after the other: each has a port of its own.
type policies struct{ generation atomic.Int64 }

func (p *policies) inForce() reconcile.Policy {
	generation := p.generation.Load()
	return reconcile.Policy{Generation: generation, Defaults: plan.Defaults{ListenerPort: map[int64]string{1: "1111", 2: "2222"}[generation]}}
}

// under returns a cluster with one Gateway and a Certificate that names no port,
// and a Reconciler for it.
func under(happens func(*policies)) (*meanwhile, *reconcile.Reconciler) {
	p := &policies{}
	p.generation.Store(1)
	app := certificateFor("edge")
	f := &meanwhile{&faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}}, func() { happens(p) }}
	f.certificates = append(f.certificates, app)
	return f, reconcile.New(reconcile.Options{Cluster: f, Policy: p.inForce, Tracing: noop.NewTracerProvider()})
}

func portWritten(f *meanwhile) gatewayv1.PortNumber {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.written.Listeners[len(f.written.Listeners)-1].Port
}

func TestARunGoesByOnePolicyFromStartToEnd(t *testing.T) {
	f, r := under(func(p *policies) { p.generation.Store(2) })
	if _, err := r.Handle(t.Context(), addOfApp()); err != nil {
		t.Fatal(err)
	}
	if got := portWritten(f); got != 1111 {
		t.Errorf("the listener's port is %d, want that of the policy that the run began under", got)
	}
}

func TestWhatARunHasSeenUnderAnOlderPolicyCoversNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		during func(*policies)
		want   bool
	}{
		"the same policy": {func(*policies) {}, true},
		"a newer one":     {func(p *policies) { p.generation.Store(2) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := under(tc.during)
			var last reconcile.Outcome
			for range 2 {
				outcomes, err := r.Handle(t.Context(), addOfApp())
				if err != nil || len(outcomes) != 1 {
					t.Fatalf("Handle = %+v, %v", outcomes, err)
				}
				last = outcomes[0]
			}
			if got := last.Verdict == reconcile.Covered; got != tc.want {
				t.Errorf("the same event again: %s, want it covered: %v", last.Verdict, tc.want)
			}
		})
	}
}

// The sweep that new settings bring with them may fail.
func TestWhatRunsHaveSeenIsForgottenWithThePolicyTheySawItUnder(t *testing.T) {
	var inForce *policies
	_, r := under(func(p *policies) { inForce = p })
	for range 2 {
		if _, err := r.Handle(t.Context(), addOfApp()); err != nil {
			t.Fatal(err)
		}
	}
	inForce.generation.Store(2)
	outcomes, err := r.Handle(t.Context(), addOfApp())
	if err != nil || len(outcomes) != 1 || outcomes[0].Verdict == reconcile.Covered {
		t.Errorf("the same event under a newer policy: %+v, %v; want a run", outcomes, err)
	}
}
