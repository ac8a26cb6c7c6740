package handler

import (
	"context"
	"net/http"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/extensions"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

const instrumentationName = "gateway-cert-operator.io/gateway-cert-handler/handler"

var traceContext = propagation.TraceContext{}

// startSpan starts the server span of a request. It begins when the request
// did, not now: its parent may stand in the event, which had to be read first.
func (h *Handler) startSpan(ctx context.Context, r *http.Request, received time.Time, events []event.Event) (context.Context, trace.Span) {
	ctx = parent(ctx, r.Header, events)
	return h.tracer.Start(ctx, "POST /",
		trace.WithTimestamp(received),
		trace.WithSpanKind(trace.SpanKindServer))
}

// parent returns ctx with the remote parent: that of the traceparent header,
// which the last hop set, else that of the CloudEvents distributed tracing
// extension, which the event's source set. Garbage is no parent.
func parent(ctx context.Context, header http.Header, events []event.Event) context.Context {
	fromHeader := traceContext.Extract(ctx, propagation.HeaderCarrier(header))
	if trace.SpanContextFromContext(fromHeader).IsValid() || len(events) != 1 {
		return fromHeader
	}
	inEvent, ok := extensions.GetDistributedTracingExtension(events[0])
	if !ok {
		return ctx
	}
	return traceContext.Extract(ctx, propagation.MapCarrier{
		extensions.TraceParentExtension: inEvent.TraceParent,
		extensions.TraceStateExtension:  inEvent.TraceState,
	})
}

// describe puts on the server span what was asked and how it is answered. By the
// semantic conventions a server span is an error only where the server is at
// fault, and what was asked should be there from the start, for samplers. Here it
// is not: no sampler that a variable can name looks at it, and attributes that
// come in one go are copied once, which for an event that makes for no run is
// worth much of what its span costs.
func describe(span trace.Span, r *http.Request, events []event.Event, a answer) {
	code := statusCodes[a]
	span.SetAttributes(append(requestAttributes(r, events), semconv.HTTPResponseStatusCode(code))...)
	if code >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, http.StatusText(code))
	}
}

// requestAttributes describe the request, and the event or how many there are in a
// batch.
func requestAttributes(r *http.Request, events []event.Event) []attribute.KeyValue {
	attributes := append(make([]attribute.KeyValue, 0, 8), // the most there are, with the answer
		semconv.HTTPRequestMethodPost, semconv.HTTPRoute("/"), semconv.URLPath(r.URL.Path))
	if len(events) != 1 {
		return append(attributes, attribute.Int("gateway_cert.events", len(events)))
	}
	e := events[0]
	return append(attributes,
		semconv.CloudEventsEventID(e.ID()),
		semconv.CloudEventsEventSource(e.Source()),
		semconv.CloudEventsEventType(e.Type()),
		semconv.CloudEventsEventSubject(e.Subject()))
}

// verdictKey is what package reconcile calls it on the span of a run.
const verdictKey = attribute.Key("gateway_cert.verdict")

// recordCovered says on the request's own span why there is none of a run.
func recordCovered(ctx context.Context, o reconcile.Outcome) {
	if o.Verdict == reconcile.Covered {
		trace.SpanFromContext(ctx).SetAttributes(verdictKey.String(string(o.Verdict)))
	}
}
