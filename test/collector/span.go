package collector

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
)

// Span is one span as it was exported. IDs are lower-case hexadecimal.
type Span struct {
	TraceID, ID, ParentID string // ParentID is empty for a root
	Service, Name         string
	Kind                  tracev1.Span_SpanKind
	Start, End            time.Time
	Attributes            map[string]string // values as text
	Failed                bool
	Events                []string // their names
}

func spansOf(request *collectorv1.ExportTraceServiceRequest) []Span {
	var spans []Span
	for _, resource := range request.GetResourceSpans() {
		service := attributes(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				spans = append(spans, spanOf(service, s))
			}
		}
	}
	return spans
}

func spanOf(service string, s *tracev1.Span) Span {
	span := Span{
		TraceID:    hex.EncodeToString(s.GetTraceId()),
		ID:         hex.EncodeToString(s.GetSpanId()),
		ParentID:   hex.EncodeToString(s.GetParentSpanId()),
		Service:    service,
		Name:       s.GetName(),
		Kind:       s.GetKind(),
		Start:      time.Unix(0, int64(s.GetStartTimeUnixNano())),
		End:        time.Unix(0, int64(s.GetEndTimeUnixNano())),
		Attributes: attributes(s.GetAttributes()),
		Failed:     s.GetStatus().GetCode() == tracev1.Status_STATUS_CODE_ERROR,
	}
	for _, event := range s.GetEvents() {
		span.Events = append(span.Events, event.GetName())
	}
	return span
}

func attributes(pairs []*commonv1.KeyValue) map[string]string {
	values := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		values[pair.GetKey()] = text(pair.GetValue())
	}
	return values
}

func text(value *commonv1.AnyValue) string {
	switch v := value.GetValue().(type) {
	case *commonv1.AnyValue_StringValue:
		return v.StringValue
	case *commonv1.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *commonv1.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	case *commonv1.AnyValue_ArrayValue:
		var parts []string
		for _, part := range v.ArrayValue.GetValues() {
			parts = append(parts, text(part))
		}
		return strings.Join(parts, ",")
	default:
		return value.String()
	}
}
