package reconcile_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Three events come one after another. The first has a run of its own; the second
// waits for the next one, and the third joins it.
func TestASharedRunLinksToWhoJoinedItAndTheyNameItsTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := tracetest.NewSpanRecorder()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
		f := slow{&faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}}
		r := reconcile.New(reconcile.Options{Cluster: f, Tracing: provider})
		var group sync.WaitGroup
		for i := range 3 {
			change := addOfApp()
			change.Object.ResourceVersion = fmt.Sprint(100 + i) // newer than what the first run sees
			group.Go(func() {
				ctx, event := provider.Tracer("test").Start(t.Context(), fmt.Sprint("event ", i))
				defer event.End()
				_, _ = r.Handle(ctx, change)
			})
			time.Sleep(500 * time.Millisecond)
		}
		group.Wait()

		var runs, events []sdktrace.ReadOnlySpan
		for _, span := range spans.Ended() {
			switch span.Name() {
			case "reconcile gateway":
				runs = append(runs, span)
			case "event 0", "event 1", "event 2":
				events = append(events, span)
			}
		}
		if len(runs) != 2 || len(events) != 3 {
			t.Fatalf("%d runs for %d events, want 2 for 3", len(runs), len(events))
		}
		for _, event := range events {
			context := event.SpanContext()
			shared := attribute.NewSet(event.Attributes()...)
			named, names := shared.Value("gateway_cert.run.trace_id")
			switch context.TraceID() {
			case runs[0].SpanContext().TraceID(), runs[1].SpanContext().TraceID():
				if names {
					t.Errorf("%s has a run in its own trace and names another, %s", event.Name(), named.AsString())
				}
			default:
				run := runs[1]
				if got, want := named.AsString(), run.SpanContext().TraceID().String(); got != want {
					t.Errorf("%s names the trace %q, want the shared run's %s", event.Name(), got, want)
				}
				if links := run.Links(); len(links) != 1 || links[0].SpanContext.SpanID() != context.SpanID() {
					t.Errorf("the shared run links to %+v, want to %s", links, event.Name())
				}
			}
		}
	})
}
