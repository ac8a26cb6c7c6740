package reconcile_test

import (
	"errors"
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// served is a Gateway with a listener for each of n Certificates, and those.
func served(n int) (gatewayv1.Gateway, []certmanagerv1.Certificate) {
	var certificates []certmanagerv1.Certificate
	for i := range n {
		c := certificateFor("edge")
		c.Name = fmt.Sprintf("app%d", i)
		c.Spec.DNSNames = []string{c.Name + ".example.com"}
		certificates = append(certificates, c)
	}
	edge := gateway("edge", "")
	p := plan.For(plan.Input{Gateway: &edge, Certificates: certificates})
	standing := gateway("edge", p.Ledger.String())
	standing.Spec.Listeners = p.Listeners
	return standing, certificates
}

// runSpan runs for a change of the Gateway and returns the run's attributes.
func runSpan(t *testing.T, f *faulty) (reconcile.Outcome, map[attribute.Key]attribute.Value) {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	r := reconcile.New(reconcile.Options{Cluster: f, Tracing: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	outcomes, err := r.Handle(t.Context(), changeOf(reconcile.Gateway, reconcile.Update, f.gateways[0].ObjectMeta))
	if err != nil {
		t.Fatal(err)
	}
	attributes := map[attribute.Key]attribute.Value{}
	for _, span := range spans.GetSpans() {
		if span.Name == "reconcile gateway" {
			for _, a := range span.Attributes {
				attributes[a.Key] = a.Value
			}
		}
	}
	return outcomes[0], attributes
}

func TestWhatWouldBeRemovedIsConfirmedByASecondLook(t *testing.T) {
	for _, tc := range []struct {
		name          string
		first, second int // Certificates that each LIST has, of 8
		verdict       reconcile.Verdict
		writes        int
		confirmed     bool
		impact        plan.Impact
	}{
		{"the first LIST came back smaller by six", 2, 8, reconcile.Unchanged, 0, false, plan.ImpactNone},
		{"both agree", 2, 2, reconcile.Patched, 1, true, plan.ImpactDisruptive},
		{"one of the six is there after all", 2, 3, reconcile.Patched, 1, false, plan.ImpactDisruptive},
		{"the first LIST came back empty", 0, 8, reconcile.Unchanged, 0, false, plan.ImpactNone},
	} {
		t.Run(tc.name, func(t *testing.T) {
			standing, all := served(8)
			f := &faulty{gateways: []gatewayv1.Gateway{standing}, certificates: all[:tc.first], unseen: all[tc.first:tc.second]}
			o, attributes := runSpan(t, f)
			if o.Verdict != tc.verdict || f.writes != tc.writes {
				t.Errorf("%s after %d writes, want %s after %d: %v", o.Verdict, f.writes, tc.verdict, tc.writes, o.Err)
			}
			got := []any{
				attributes["gateway_cert.listeners.removed_at_first_look"].AsInt64(),
				attributes["gateway_cert.removal.confirmed"].AsBool(), attributes["gateway_cert.impact"].AsString(),
			}
			if diff := cmp.Diff([]any{int64(8 - tc.first), tc.confirmed, string(tc.impact)}, got); diff != "" {
				t.Errorf("removed at first look, confirmed, impact (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARunThatRemovesNothingHasNothingToConfirm(t *testing.T) {
	standing, all := served(3)
	_, attributes := runSpan(t, &faulty{gateways: []gatewayv1.Gateway{standing}, certificates: all})
	if v, there := attributes["gateway_cert.removal.confirmed"]; there || len(attributes) == 0 {
		t.Errorf("confirmed: %v, of %d attributes; want none", v.AsBool(), len(attributes))
	}
}

// A second LIST that fails says nothing of what is to go.
func TestNothingIsRemovedWhereTheSecondLookFails(t *testing.T) {
	standing, all := served(8)
	f := &faulty{gateways: []gatewayv1.Gateway{standing}, certificates: all[:2], latestErr: errors.New("x")}
	if o, _ := runSpan(t, f); o.Verdict != reconcile.TryAgain || f.writes != 0 {
		t.Errorf("%s after %d writes, want TryAgain after none", o.Verdict, f.writes)
	}
}
