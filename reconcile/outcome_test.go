package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestAnOutcomeHasTheSpanOfItsRun(t *testing.T) {
	f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}
	spans := tracetest.NewInMemoryExporter()
	r := reconcile.New(reconcile.Options{Cluster: f, Tracing: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	outcomes, err := r.Handle(t.Context(), addOfApp())
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range spans.GetSpans() {
		if span.Name == "reconcile gateway" && span.SpanContext.Equal(outcomes[0].RunSpan) {
			return
		}
	}
	t.Errorf("the outcome has the span %v, spans are %+v", outcomes[0].RunSpan, spans.GetSpans())
}

// interrupted is a cluster where the Gateway's owner changes an annotation during
// every patch, so that there is more to do after it.
type interrupted struct{ *faulty }

func (i interrupted) Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error) {
	patched, err := i.faulty.Write(ctx, gateway, p)
	if err != nil {
		return nil, err
	}
	patched = patched.DeepCopy()
	patched.Annotations = map[string]string{"owner": "speaks"}
	return patched, nil
}

func TestWhatIsWrittenIsKnownWhateverComesOfTheRun(t *testing.T) {
	failure := apierrors.NewInternalError(errors.New("x"))
	for name, tc := range map[string]struct {
		writeErrors []error
		verdict     reconcile.Verdict
		written     int
	}{
		"all of it":                 {[]error{nil}, reconcile.Patched, 5},
		"part of it, then it fails": {[]error{nil, failure}, reconcile.TryAgain, 1},
		"nothing":                   {[]error{failure}, reconcile.TryAgain, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &faulty{
					gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
					writeErrors: tc.writeErrors,
				}
				outcomes, err := reconcile.New(reconcile.Options{Cluster: interrupted{f}, Tracing: noop.NewTracerProvider()}).Handle(t.Context(), addOfApp())
				if err != nil {
					t.Fatal(err)
				}
				if o := outcomes[0]; o.Verdict != tc.verdict || len(o.Written()) != tc.written {
					t.Errorf("%s after %+v was written, want %s after %d changes", o.Verdict, o.Written(), tc.verdict, tc.written)
				}
			})
		})
	}
}
