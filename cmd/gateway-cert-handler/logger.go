package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"go.opentelemetry.io/otel/trace"
	"golang.org/x/term"
)

// newLogger writes text for a person at a terminal and JSON for everything else.
func newLogger(w io.Writer) *slog.Logger {
	var inner slog.Handler = slog.NewJSONHandler(w, nil)
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		inner = slog.NewTextHandler(w, nil)
	}
	return slog.New(traceHandler{inner})
}

// traceHandler adds the trace that a line belongs to, under the name by which
// OpenTelemetry's log data model calls it in JSON.
type traceHandler struct{ slog.Handler }

func (h traceHandler) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

func (h traceHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attributes)}
}

func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
