package telemetry

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// OTLP takes valid UTF-8 only, and the exporters refuse a whole batch for one
// text that is not. Texts of events and paths are a stranger's, so each is made
// valid here.

// valid replaces what is no UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }

func validValue(v attribute.Value) attribute.Value {
	switch v.Type() {
	case attribute.STRING:
		return attribute.StringValue(valid(v.AsString()))
	case attribute.STRINGSLICE:
		return attribute.StringSliceValue(each(v.AsStringSlice(), valid))
	case attribute.SLICE:
		return attribute.SliceValue(each(v.AsSlice(), validValue)...)
	case attribute.MAP:
		return attribute.MapValue(each(v.AsMap(), validAttribute)...)
	default:
		return v
	}
}

func validAttribute(a attribute.KeyValue) attribute.KeyValue {
	return attribute.KeyValue{Key: attribute.Key(valid(string(a.Key))), Value: validValue(a.Value)}
}

func each[T any](values []T, f func(T) T) []T {
	values = slices.Clone(values)
	for i := range values {
		values[i] = f(values[i])
	}
	return values
}

// validSpan is a span in valid texts. Links have none of a stranger's.
type validSpan struct{ sdktrace.ReadOnlySpan }

func (s validSpan) Attributes() []attribute.KeyValue {
	return each(s.ReadOnlySpan.Attributes(), validAttribute)
}

func (s validSpan) Events() []sdktrace.Event {
	return each(s.ReadOnlySpan.Events(), func(e sdktrace.Event) sdktrace.Event {
		e.Attributes = each(e.Attributes, validAttribute)
		return e
	})
}

func (s validSpan) Status() sdktrace.Status {
	status := s.ReadOnlySpan.Status()
	status.Description = valid(status.Description)
	return status
}

// makeValid does so with a log record.
func makeValid(record *sdklog.Record) {
	attributes := make([]attribute.KeyValue, 0, record.AttributesLen())
	record.WalkAttributes(func(a attribute.KeyValue) bool {
		attributes = append(attributes, validAttribute(a))
		return true
	})
	record.SetBody(validValue(record.Body()))
	record.SetAttributes(attributes...)
}
