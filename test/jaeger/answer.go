package jaeger

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// answer is what the JSON API answers, as far as it is read. Jaeger calls it
// internal; its source is internal/uimodel in the module.
type answer struct {
	Data   []answeredTrace
	Errors []struct{ Msg string }
}

type answeredTrace struct {
	TraceID   string
	Spans     []answeredSpan
	Processes map[string]struct{ ServiceName string }
}

type answeredSpan struct {
	SpanID        string
	OperationName string
	References    []struct{ RefType, TraceID, SpanID string }
	StartTime     int64 // microseconds since 1970
	Duration      int64 // microseconds
	Tags          []tag
	Logs          []struct{ Fields []tag }
	ProcessID     string
}

type tag struct {
	Key   string
	Value json.RawMessage
}

// text returns a string as it is, a number or a boolean as JSON has it, and the
// items of a list, which Jaeger answers as JSON in a string, with commas between
// them.
func (t tag) text() string {
	var text string
	if json.Unmarshal(t.Value, &text) != nil {
		return string(t.Value)
	}
	var list []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		return strings.Join(list, ",")
	}
	return text
}

// traces returns what was answered in the terms of package collector.
func (a answer) traces() ([]collector.Trace, error) {
	if len(a.Errors) > 0 {
		return nil, fmt.Errorf("an error in the answer: %s", a.Errors[0].Msg)
	}
	traces := make([]collector.Trace, 0, len(a.Data))
	for _, answered := range a.Data {
		trace := collector.Trace{ID: answered.TraceID}
		for _, span := range answered.Spans {
			trace.Spans = append(trace.Spans, answered.span(span))
		}
		slices.SortStableFunc(trace.Spans, func(a, b collector.Span) int { return a.Start.Compare(b.Start) })
		traces = append(traces, trace)
	}
	return traces, nil
}

func (t answeredTrace) span(s answeredSpan) collector.Span {
	span := collector.Span{
		TraceID:    t.TraceID,
		ID:         s.SpanID,
		Service:    t.Processes[s.ProcessID].ServiceName,
		Name:       s.OperationName,
		Start:      time.UnixMicro(s.StartTime),
		End:        time.UnixMicro(s.StartTime + s.Duration),
		Attributes: map[string]string{},
	}
	for _, reference := range s.References {
		// A link to a span of another trace is a reference too.
		if reference.RefType == "CHILD_OF" && reference.TraceID == t.TraceID {
			span.ParentID = reference.SpanID
		}
	}
	for _, tag := range s.Tags {
		span.Attributes[tag.Key] = tag.text()
	}
	span.Kind = tracev1.Span_SpanKind(tracev1.Span_SpanKind_value["SPAN_KIND_"+strings.ToUpper(span.Attributes["span.kind"])])
	span.Failed = span.Attributes["otel.status_code"] == "ERROR"
	for _, log := range s.Logs {
		for _, field := range log.Fields {
			if field.Key == "event" {
				span.Events = append(span.Events, field.text())
			}
		}
	}
	return span
}
