package spans_test

import (
	"slices"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/zero/spans"
)

// at is a moment of the trace below, in ms from its start.
func at(ms int) time.Time { return time.UnixMilli(int64(ms)) }

// aPatch is the trace of an event that had its Gateway patched.
func aPatch() collector.Trace {
	span := func(id, parent, name string, start, end int) collector.Span {
		return collector.Span{TraceID: "trace", ID: id, ParentID: parent, Name: name, Start: at(start), End: at(end), Attributes: map[string]string{}}
	}
	trace := collector.Trace{ID: "trace", Spans: []collector.Span{
		span("event", "adapter", "POST /", 0, 40),
		span("turn", "event", "reconcile gateway", 1, 38),
		span("read", "turn", "look up", 2, 13),
		span("get", "read", "GET gateways", 2, 5),
		span("list", "read", "LIST certificates", 6, 12),
		span("beside", "read", "LIST certificates", 8, 13),
		span("patch", "turn", "patch", 14, 26),
		span("request", "patch", "PATCH gateways", 15, 25),
		span("event of ours", "turn", "POST events", 27, 30),
		span("again", "turn", "GET gateways", 31, 35),
	}}
	trace.Spans[0].Attributes = map[string]string{
		"cloudevents.event_subject": "/apis/cert-manager.io/v1/namespaces/shop/certificates/app",
		"cloudevents.event_type":    "dev.knative.apiserver.resource.add",
	}
	trace.Spans[7].Attributes = map[string]string{
		"url.full": "https://10.0.0.1/apis/gateway.networking.k8s.io/v1/namespaces/shop/gateways/edge?fieldManager=gateway-cert-handler",
	}
	return trace
}

func TestAPatchIsFoundWithWhatCameBeforeIt(t *testing.T) {
	w, ok := spans.WriteOf(aPatch(), "shop", "edge")
	if !ok || w.Turn.ID != "turn" || w.Read.ID != "read" || w.Patch.ID != "request" {
		t.Errorf("found %t: turn %q, read %q, patch %q", ok, w.Turn.ID, w.Read.ID, w.Patch.ID)
	}
}

func TestAPatchIsNotFound(t *testing.T) {
	for _, tt := range []struct{ name, namespace, gateway, missing string }{
		{"while the request's span is not in", "shop", "edge", "request"},
		{"while the span above it is not in", "shop", "edge", "patch"},
		{"while the turn's span is not in", "shop", "edge", "turn"},
		{"while the look's span is not in", "shop", "edge", "read"},
		{"of a Gateway whose name begins alike", "shop", "edg", ""},
		{"in another namespace", "sho", "edge", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trace := aPatch()
			trace.Spans = slices.DeleteFunc(trace.Spans, func(s collector.Span) bool { return s.ID == tt.missing })
			if w, ok := spans.WriteOf(trace, tt.namespace, tt.gateway); ok {
				t.Errorf("found %+v", w)
			}
		})
	}
}

func TestWhatTheHandlerTakesItselfIsTheTimeWithoutRequests(t *testing.T) {
	trace := aPatch()
	w, _ := spans.WriteOf(trace, "shop", "edge")
	event, ok := spans.EventOf(trace, "shop", "app")
	if !ok {
		t.Fatal("the event is not found")
	}
	// Two that overlap count once, and what comes after the patch does not.
	if want := 20 * time.Millisecond; w.Asking != want {
		t.Errorf("%v were spent on requests, want %v", w.Asking, want)
	}
	if want := 5 * time.Millisecond; w.Own(event) != want {
		t.Errorf("%v are the handler's own, want %v", w.Own(event), want)
	}
}

func TestAnEventThatIsSentTwiceIsOne(t *testing.T) {
	event := aPatch().Spans[0]
	event.Attributes["cloudevents.event_id"] = "1"
	another := event
	another.Attributes = map[string]string{"cloudevents.event_id": "2", "cloudevents.event_subject": event.Attributes["cloudevents.event_subject"]}
	all := []collector.Span{event, event, another, {Attributes: map[string]string{"cloudevents.event_id": "3"}}}
	if got := spans.EventsIn(all, "shop"); got != 2 {
		t.Errorf("there are %d events, want 2", got)
	}
	if got := spans.EventsIn(all, "sho"); got != 0 {
		t.Errorf("another namespace has %d events, want none", got)
	}
}

func TestAnEventIsOfOneCertificateAndNew(t *testing.T) {
	for _, tt := range []struct{ name, namespace, certificate, eventType string }{
		{"of another Certificate", "shop", "ap", "dev.knative.apiserver.resource.add"},
		{"in another namespace", "sho", "app", "dev.knative.apiserver.resource.add"},
		{"of a change", "shop", "app", "dev.knative.apiserver.resource.update"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trace := aPatch()
			trace.Spans[0].Attributes["cloudevents.event_type"] = tt.eventType
			if event, ok := spans.EventOf(trace, tt.namespace, tt.certificate); ok {
				t.Errorf("found %+v", event)
			}
		})
	}
}
