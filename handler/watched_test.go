package handler_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
)

// watchedServer is a server with what it leaves in the log and in traces.
type watchedServer struct {
	*httptest.Server
	handler *handler.Handler
	log     *logBuffer
	spans   *tracetest.InMemoryExporter
}

// watched serves with a logger of the default level.
func watched(t *testing.T, r handler.Reconciler) *watchedServer {
	t.Helper()
	return watchedAt(t, r, slog.LevelInfo)
}

func watchedAt(t *testing.T, r handler.Reconciler, level slog.Level) *watchedServer {
	t.Helper()
	s := &watchedServer{log: &logBuffer{}, spans: tracetest.NewInMemoryExporter()}
	logger := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: level}))
	s.handler = handler.New(handler.Options{Reconciler: r, Tracing: sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans)), Logger: logger})
	s.Server = httptest.NewServer(s.handler)
	t.Cleanup(s.Close)
	return s
}

// line is one of the log.
type line struct {
	Level, Msg, Gateway, Outcome, Cause, Error, Stack, Impact string

	Drift                           bool
	Checked, Healed, Failed         int
	Attempts                        int
	Rejections, Notes               []struct{ Message, Hostname string }
	RejectionsOmitted, NotesOmitted int
	Changes                         []struct{ Impact, ImpactReason string }
	size                            int
}

type logBuffer struct{ recording.Log }

// lines are those so far.
func (b *logBuffer) lines(t *testing.T) []line {
	t.Helper()
	var lines []line
	decoder := json.NewDecoder(strings.NewReader(b.String()))
	for begin := decoder.InputOffset(); ; begin = decoder.InputOffset() {
		var l line
		switch err := decoder.Decode(&l); {
		case errors.Is(err, io.EOF):
			return lines
		case err != nil:
			t.Fatalf("read the log: %v", err)
		}
		l.size = int(decoder.InputOffset() - begin)
		lines = append(lines, l)
	}
}
