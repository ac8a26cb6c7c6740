package spans

import (
	"slices"
	"strings"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// Names of spans, as docs/tracing.md has them.
const (
	nameTurn  = "reconcile gateway"
	nameRead  = "look up"
	namePatch = "PATCH gateways"
)

// Write is the spans of a patch.
type Write struct {
	// Turn is the Gateway's.
	Turn collector.Span
	// Read is of what was read before the patch.
	Read collector.Span
	// Patch is the request.
	Patch collector.Span
	// Asking is how long the turn waited for the API server until the patch was
	// answered.
	Asking time.Duration
}

// WriteOf returns the first patch of a Gateway. It is not found in a trace that is
// still growing: a span comes in when it has ended, and a turn ends after its patch.
func WriteOf(trace collector.Trace, namespace, gateway string) (Write, bool) {
	at := slices.IndexFunc(trace.Spans, func(s collector.Span) bool {
		return s.Name == namePatch && strings.Contains(s.Attributes["url.full"], "/namespaces/"+namespace+"/gateways/"+gateway+"?")
	})
	if at < 0 {
		return Write{}, false
	}
	w := Write{Patch: trace.Spans[at]}
	var ended bool
	if w.Turn, ended = above(trace, w.Patch, nameTurn); !ended {
		return Write{}, false
	}
	at = slices.IndexFunc(trace.Spans, func(s collector.Span) bool { return s.Name == nameRead && s.ParentID == w.Turn.ID })
	if at < 0 {
		return Write{}, false
	}
	w.Read = trace.Spans[at]
	w.Asking = covered(requests(trace, w))
	return w, true
}

// Own is what the handler itself took of the time from an event to the answer of
// the patch.
func (w Write) Own(event collector.Span) time.Duration {
	return w.Patch.End.Sub(event.Start) - w.Asking
}

// requests are the spans of requests to the API server that are below a turn and
// began before its patch was answered.
func requests(trace collector.Trace, w Write) []collector.Span {
	var found []collector.Span
	for _, s := range trace.Spans {
		method, _, _ := strings.Cut(s.Name, " ")
		if !slices.Contains([]string{"GET", "LIST", "PATCH"}, method) || s.Start.After(w.Patch.End) {
			continue
		}
		if turn, ok := above(trace, s, nameTurn); ok && turn.ID == w.Turn.ID {
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
		var known bool
		if span, known = trace.Parent(span); !known {
			return span, false
		}
	}
	return span, true
}
