package zero

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// write is the spans of a patch.
type write struct {
	turn  collector.Span // of the Gateway
	read  collector.Span // before it
	patch collector.Span // the request
	// asking is how long the turn waited for the API server until the patch was
	// answered.
	asking time.Duration
}

// own is what the handler itself took of the time from an event to the answer of
// the patch.
func (w write) own(event collector.Span) time.Duration {
	return w.patch.End.Sub(event.Start) - w.asking
}

// writeOf returns the spans of the first patch of a Gateway.
func writeOf(t *testing.T, namespace, gateway string) write {
	t.Helper()
	isPatch := func(s collector.Span) bool {
		return s.Name == "PATCH gateways" && strings.Contains(s.Attributes["url.full"], "/namespaces/"+namespace+"/gateways/"+gateway+"?")
	}
	trace := traceWith(t, "the patch of "+gateway, isPatch)
	w := write{patch: trace.Spans[slices.IndexFunc(trace.Spans, isPatch)]}
	var ok bool
	if w.turn, ok = above(trace, w.patch, "reconcile gateway"); !ok {
		t.Fatalf("the patch of %s is below no Gateway's turn", gateway)
	}
	at := slices.IndexFunc(trace.Spans, func(s collector.Span) bool { return s.Name == "look up" && s.ParentID == w.turn.ID })
	if at < 0 {
		t.Fatalf("before the patch of %s nothing was read", gateway)
	}
	w.read = trace.Spans[at]
	w.asking = covered(requests(trace, w))
	return w
}

// requests are the spans of requests to the API server that are below a turn and
// began before its patch was answered.
func requests(trace collector.Trace, w write) []collector.Span {
	var found []collector.Span
	for _, s := range trace.Spans {
		method, _, _ := strings.Cut(s.Name, " ")
		if !slices.Contains([]string{"GET", "LIST", "PATCH"}, method) || s.Start.After(w.patch.End) {
			continue
		}
		if turn, ok := above(trace, s, w.turn.Name); ok && turn.ID == w.turn.ID {
			found = append(found, s)
		}
	}
	return found
}

// covered is the time in which at least one of the spans was under way.
func covered(spans []collector.Span) time.Duration {
	slices.SortFunc(spans, func(a, b collector.Span) int { return a.Start.Compare(b.Start) })
	var sum time.Duration
	var until time.Time
	for _, s := range spans {
		from := s.Start
		if from.Before(until) {
			from = until
		}
		if s.End.After(from) {
			sum += s.End.Sub(from)
			until = s.End
		}
	}
	return sum
}

// above returns the nearest span of a name that a span is below.
func above(trace collector.Trace, span collector.Span, name string) (collector.Span, bool) {
	for span.Name != name {
		at := slices.IndexFunc(trace.Spans, func(s collector.Span) bool { return s.ID == span.ParentID })
		if at < 0 {
			return span, false
		}
		span = trace.Spans[at]
	}
	return span, true
}

// eventSpan returns the handler's span of a Certificate's first event.
func eventSpan(t *testing.T, namespace, certificate string) collector.Span {
	t.Helper()
	ofEvent := func(span collector.Span) bool {
		return strings.HasSuffix(span.Attributes["cloudevents.event_subject"], "/"+namespace+"/certificates/"+certificate) &&
			span.Attributes["cloudevents.event_type"] == "dev.knative.apiserver.resource.add"
	}
	trace := traceWith(t, "the event of "+certificate, ofEvent)
	return trace.Spans[slices.IndexFunc(trace.Spans, ofEvent)]
}

// traceWith waits for a trace that has such a span.
func traceWith(t *testing.T, what string, is func(collector.Span) bool) collector.Trace {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	trace, err := node.traces.Wait(ctx, func(trace collector.Trace) bool { return slices.ContainsFunc(trace.Spans, is) })
	if err != nil {
		t.Fatalf("wait for the trace of %s: %v", what, err)
	}
	return trace
}
