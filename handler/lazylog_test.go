package handler_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// attributed is a slog.Handler that takes note of each line's attributes, and of
// how often it was given some for lines to come.
type attributed struct {
	slog.Handler
	lines *[][]string
	given *int
	keys  []string
}

func (a attributed) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (a attributed) WithAttrs(attributes []slog.Attr) slog.Handler {
	*a.given++
	for _, one := range attributes {
		a.keys = append(slices.Clip(a.keys), one.Key)
	}
	return a
}

func (a attributed) Handle(context.Context, slog.Record) error {
	*a.lines = append(*a.lines, a.keys)
	return nil
}

func TestAnEventsAttributesAreMadeForLinesThatAreWritten(t *testing.T) {
	for verdict, want := range map[reconcile.Verdict]struct{ given, lines int }{
		reconcile.Covered: {0, 0},
		reconcile.Patched: {1, 1},
	} {
		var lines [][]string
		given := 0
		h := handler.New(handler.Options{
			Reconciler: endingIn(verdict), Tracing: noop.NewTracerProvider(),
			Logger: slog.New(attributed{slog.DiscardHandler, &lines, &given, nil}),
		})
		h.ServeHTTP(httptest.NewRecorder(), fixture(t, "certificate-add"))
		if given != want.given || len(lines) != want.lines {
			t.Errorf("%s: attributes were made %d times for %d lines, want %d for %d", verdict, given, len(lines), want.given, want.lines)
		}
		for _, keys := range lines {
			if !slices.Equal(keys, []string{"event", "type", "object"}) {
				t.Errorf("%s: the line has %v, want the event, its type and object", verdict, keys)
			}
		}
	}
}
