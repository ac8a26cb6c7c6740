package outcomes

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/extensions"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Schema is the dataschema of all events, and the $id of docs/outcome.schema.json.
// It names a version and need not be reachable.
const Schema = "https://gateway-cert-operator.io/schemas/outcome.v1.json"

// ExtensionCausation is the attribute that holds the id of the event which caused
// a run (CloudEvents extension "Correlation").
const ExtensionCausation = "causationid"

// Cause is why a run was made.
type Cause struct {
	// EventID is the id of the event that the run was made for; empty if it was
	// made for none, as after the start of a process.
	EventID string
	// Span is what the work for that event is in. It stands in where an outcome
	// has no run of its own.
	Span trace.SpanContext
}

// Stamp makes an event differ from all others.
type Stamp struct {
	ID   string
	Time time.Time
}

// Event returns what an outcome has to tell others, and false if it has nothing
// to tell: its run has neither changed nor refused anything, nor failed, or there
// was no run, or another event's outcome tells of it. Whether the same has been
// told before is not looked at. An error means that the event would be against
// the specification, however often it is made.
func Event(o reconcile.Outcome, cause Cause, stamp Stamp) (_ event.Event, tells bool, _ error) {
	kind, tells := typeOf(o)
	if !tells {
		return event.Event{}, false, nil
	}
	e := event.New()
	e.SetID(stamp.ID)
	e.SetTime(stamp.Time)
	e.SetType(kind)
	e.SetSource("/apis/gateway.networking.k8s.io/v1/namespaces/" + url.PathEscape(o.Gateway.Namespace) + "/gateways/" + url.PathEscape(o.Gateway.Name))
	e.SetSubject(o.Gateway.String())
	e.SetDataSchema(Schema)
	e.SetDataContentType(event.ApplicationJSON)
	e.DataEncoded = encoded(o)
	addTrace(&e, spanOf(o, cause))
	if id := cause.EventID; len(id) <= maxCausation && isPlain(id) {
		e.SetExtension(ExtensionCausation, id)
	}
	if err := check(e); err != nil {
		return event.Event{}, true, fmt.Errorf("make an event of type %s: %w", kind, err)
	}
	return e, true, nil
}

// check holds an event to what the specification says of attributes. The library
// does not look into texts, of which control characters must be no part and which
// few receivers decode from a header.
func check(e event.Event) error {
	if !isPlain(e.Subject()) {
		return errors.New("the subject is not of printable ASCII")
	}
	return e.Validate()
}

// spanOf returns what the outcome's run was in, or else the work that it was for.
func spanOf(o reconcile.Outcome, cause Cause) trace.SpanContext {
	if o.RunSpan.IsValid() {
		return o.RunSpan
	}
	return cause.Span
}

// typeOf returns the type of an outcome's event, and whether there is one.
func typeOf(o reconcile.Outcome) (_ string, tells bool) {
	switch {
	case o.Shared, o.Verdict == reconcile.Covered:
		return "", false
	case o.Verdict == reconcile.TryAgain, o.Verdict == reconcile.Refused:
		return knative.GatewayFailed, true
	case o.Verdict == reconcile.Patched, len(o.Written()) > 0:
		return knative.GatewayReconciled, true
	case o.Verdict == reconcile.DryRun:
		return knative.GatewayReconciled, true
	case o.Attempts == 0:
		// A sweep has looked and made no run. What it finds refused is no news, and
		// a process that scales to zero sweeps at every start.
		return "", false
	}
	return knative.GatewayReconciled, refuses(o)
}

// refuses reports whether something that was asked for is not done.
func refuses(o reconcile.Outcome) bool {
	// Where there is no Gateway the notes name the Certificates that wait for it.
	return len(o.Plan.Rejections) > 0 || o.Verdict == reconcile.GatewayMissing && len(o.Notes) > 0
}

// addTrace puts the span into the event (CloudEvents extension "Distributed
// Tracing").
func addTrace(e *event.Event, span trace.SpanContext) {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), span), carrier)
	tracing := extensions.DistributedTracingExtension{
		TraceParent: carrier[extensions.TraceParentExtension],
		TraceState:  carrier[extensions.TraceStateExtension],
	}
	if len(tracing.TraceState) > maxTraceState {
		tracing.TraceState = ""
	}
	tracing.AddTracingAttributes(e)
}
