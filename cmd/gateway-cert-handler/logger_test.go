package main

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"go.opentelemetry.io/otel/trace"
)

func TestALogLineNamesTheTraceItBelongsTo(t *testing.T) {
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
	for name, tc := range map[string]struct {
		ctx  context.Context
		want string
	}{
		"in a trace": {trace.ContextWithSpanContext(t.Context(), span), "01000000000000000000000000000000"},
		"in none":    {t.Context(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			newLogger(&out).With("a", "b").InfoContext(tc.ctx, "line")
			var line struct {
				TraceID string `json:"trace_id"`
				A       string
			}
			if err := json.Unmarshal(out.Bytes(), &line); err != nil {
				t.Fatal(err)
			}
			if line.TraceID != tc.want || line.A != "b" {
				t.Errorf("line = %s, want trace_id %q", out.String(), tc.want)
			}
		})
	}
}
