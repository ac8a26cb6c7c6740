package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	metricsv1 "go.opentelemetry.io/proto/otlp/metrics/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
)

// setEnv clears OpenTelemetry's variables and sets those given.
func setEnv(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

func startCollector(t *testing.T, options collector.Options) *collector.Collector {
	t.Helper()
	c, err := collector.StartWith(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// started is Telemetry with its log.
type started struct {
	*telemetry.Telemetry
	log *logBuffer
}

type logBuffer struct{ recording.Log }

// lines are those so far.
func (b *logBuffer) lines(t *testing.T) (lines []map[string]any) {
	t.Helper()
	for decoder := json.NewDecoder(strings.NewReader(b.String())); ; {
		var line map[string]any
		switch err := decoder.Decode(&line); {
		case errors.Is(err, io.EOF):
			return lines
		case err != nil:
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
}

// start sets the variables, and starts with them. A nil client is a plain one.
func start(t *testing.T, variables map[string]string, client *http.Client) started {
	t.Helper()
	if client == nil {
		client = &http.Client{}
	}
	return startWith(t, variables, func(telemetry.Connection) (*http.Client, error) { return client, nil })
}

func startWith(t *testing.T, variables map[string]string, client func(telemetry.Connection) (*http.Client, error)) started {
	t.Helper()
	setEnv(t, variables)
	log := &logBuffer{}
	s, err := telemetry.Start(t.Context(), telemetry.Options{
		Version: "v1", Logger: slog.New(slog.NewJSONHandler(log, nil)), Client: client,
	})
	if err != nil {
		t.Fatal(err)
	}
	return started{s, log}
}

// leave makes a span, and in it a measurement and a log line.
func (s started) leave(t *testing.T, name string) {
	t.Helper()
	ctx, span := s.Traces.Tracer("test").Start(t.Context(), name)
	defer span.End()
	counter, err := s.Metrics.Meter("test").Int64Counter("test.things", metric.WithUnit("{thing}"))
	if err != nil {
		t.Fatal(err)
	}
	counter.Add(ctx, 2)
	slog.New(s.LogHandler(slog.NewJSONHandler(s.log, nil))).With("kind", "test").InfoContext(ctx, name)
}

// stop gives up after what the process itself would give.
func (s started) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), telemetry.ShutdownTimeout)
	defer cancel()
	s.Shutdown(ctx)
}

// points are those of that name.
func points(c *collector.Collector, name string) (found []collector.Point) {
	for _, point := range c.Points() {
		if point.Name == name {
			found = append(found, point)
		}
	}
	return found
}

func TestSpansHaveIDsAndAreRecordedWhereTheyAreExported(t *testing.T) {
	for _, tc := range []struct {
		name      string
		variables map[string]string
		want      bool
	}{
		{"nothing set", nil, false},
		{"an endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, true},
		{"no exporter wanted", map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, false},
		{"a sampler that takes none", map[string]string{"OTEL_TRACES_SAMPLER": "always_off", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := start(t, tc.variables, nil)
			_, span := s.Traces.Tracer("test").Start(t.Context(), "span")
			if got := span.IsRecording(); got != tc.want {
				t.Errorf("recording = %v, want %v", got, tc.want)
			}
			if !span.SpanContext().IsValid() {
				t.Error("the span has no id for the log")
			}
			s.stop(t)
		})
	}
}

func TestAVariableThatCannotBeObeyedEndsTheStart(t *testing.T) {
	setEnv(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_SAMPLER": "sometimes"})
	if _, err := telemetry.Start(t.Context(), telemetry.Options{Logger: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_SAMPLER") {
		t.Errorf("Start = %v, want an error that names OTEL_TRACES_SAMPLER", err)
	}
}

func TestShutdownSendsTheLastOfEachSignalAndTheyBelongTogether(t *testing.T) {
	c := startCollector(t, collector.Options{})
	s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint(), "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}, nil)
	s.leave(t, "last")
	s.stop(t)

	spans := c.Spans()
	if len(spans) != 1 || spans[0].Name != "last" || spans[0].Service != telemetry.ServiceName {
		t.Fatalf("spans = %+v, want one called last of service %s", spans, telemetry.ServiceName)
	}
	things := points(c, "test.things")
	if len(things) != 1 || things[0].Value != 2 || things[0].Service != telemetry.ServiceName ||
		len(things[0].ExemplarTraces) != 1 || things[0].ExemplarTraces[0] != spans[0].TraceID {
		t.Errorf("points = %+v, want one of 2 with an exemplar in trace %s", things, spans[0].TraceID)
	}
	records := c.LogRecords()
	if len(records) != 1 || records[0].Body != "last" || records[0].Severity != "INFO" || records[0].Attributes["kind"] != "test" ||
		records[0].TraceID != spans[0].TraceID || records[0].SpanID != spans[0].ID {
		t.Errorf("log records = %+v, want one called last in span %s", records, spans[0].ID)
	}
	if lines := s.log.lines(t); len(lines) != 1 || lines[0]["msg"] != "last" {
		t.Errorf("the log is %v, want the line there too and no other", lines)
	}
}

// Without care a single such text loses the batch that it is in.
func TestTextThatIsNoUTF8IsReplacedAndLosesNothing(t *testing.T) {
	const bad = "a\xffb"
	c := startCollector(t, collector.Options{})
	s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()}, nil)
	ctx, span := s.Traces.Tracer("test").Start(t.Context(), "span", trace.WithAttributes(
		attribute.String("text", bad), attribute.StringSlice("texts", []string{bad, "good"})))
	span.RecordError(errors.New(bad))
	span.SetStatus(codes.Error, bad)
	span.End()
	slog.New(s.LogHandler(slog.NewJSONHandler(s.log, nil))).InfoContext(ctx, bad, "text", bad, "texts", []string{bad}, slog.Group("g", "h", bad))
	s.stop(t)
	if spans := c.Spans(); len(spans) != 1 || spans[0].Attributes["text"] != "a\ufffdb" || spans[0].Attributes["texts"] != "a\ufffdb,good" {
		t.Errorf("spans = %+v, want one with a\ufffdb", spans)
	}
	if records := c.LogRecords(); len(records) != 1 || records[0].Body != "a\ufffdb" || records[0].Attributes["text"] != "a\ufffdb" {
		t.Errorf("log records = %+v, want one with a\ufffdb", records)
	}
}

func TestOnlyWhatIsWrittenIsExportedOfTheLog(t *testing.T) {
	c := startCollector(t, collector.Options{})
	s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": c.Endpoint() + "/v1/logs"}, nil)
	logger := slog.New(s.LogHandler(slog.NewJSONHandler(s.log, nil)))
	logger.WithGroup("g").With("a", 1).Debug("too quiet")
	logger.WithGroup("g").With("a", 1).Warn("loud enough")
	s.stop(t)
	if records := c.LogRecords(); len(records) != 1 || records[0].Body != "loud enough" {
		t.Errorf("log records = %+v, want the one that is written", records)
	}
	if spans, metrics := c.Spans(), c.Points(); len(spans)+len(metrics) > 0 {
		t.Errorf("%d spans and %d points have come, want none", len(spans), len(metrics))
	}
}

func TestMetricsAreCumulativeOrDeltaAsPreferred(t *testing.T) {
	for preference, want := range map[string]metricsv1.AggregationTemporality{
		"":      metricsv1.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
		"delta": metricsv1.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA,
	} {
		t.Run(preference, func(t *testing.T) {
			c := startCollector(t, collector.Options{})
			s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint(), "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": preference}, nil)
			s.leave(t, "")
			s.stop(t)
			if things := points(c, "test.things"); len(things) != 1 || things[0].Temporality != want {
				t.Errorf("points = %+v, want one that is %s", things, want)
			}
		})
	}
}

// hanging never answers.
func hanging(t *testing.T) string {
	t.Helper()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release); server.Close() })
	return server.URL
}

func TestShutdownEndsInTimeAndSaysWhatIsLostWhenTheCollectorHangs(t *testing.T) {
	s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": hanging(t)}, nil)
	s.leave(t, "lost")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	s.Shutdown(ctx)
	checkLossLine(t, s.log, "deadline exceeded")
}

// checkLossLine checks that the last line is the only one that tells of a loss,
// that all signals have lost one, and for what reason.
func checkLossLine(t *testing.T, log *logBuffer, reason string) {
	t.Helper()
	lines := log.lines(t)
	if len(lines) != 2 || lines[1]["msg"] != "telemetry is lost" || lines[1]["level"] != "WARN" {
		t.Fatalf("the log is %v, want the test's line and one that tells of the loss", lines)
	}
	for _, signal := range []string{"traces", "metrics", "logs"} {
		told, _ := lines[1][signal].(map[string]any)
		if text, _ := told["error"].(string); told["lost"] != 1.0 || !strings.Contains(text, reason) {
			t.Errorf("of %s it is told %v, want one lost because of %q", signal, told, reason)
		}
	}
}

// witness counts what goes through it, by path.
type witness struct {
	mu    sync.Mutex
	paths map[string]int
}

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.paths[r.URL.Path]++
	w.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

func TestAGivenClientSendsAllSignalsAndDecidesWhomToTrust(t *testing.T) {
	c := startCollector(t, collector.Options{})
	w := &witness{paths: map[string]int{}}
	s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()}, &http.Client{Transport: w})
	s.leave(t, "seen")
	s.stop(t)
	want := map[string]int{"/v1/traces": 1, "/v1/metrics": 1, "/v1/logs": 1}
	if diff := cmp.Diff(want, w.paths); diff != "" {
		t.Errorf("requests through the client (-want +got):\n%s", diff)
	}
}

func TestWhatABackendAnswersIsNotQuoted(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, r.Header.Get("X-Key"))
	}))
	t.Cleanup(server.Close)
	s := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=hidden"}, &http.Client{})
	s.leave(t, "refused")
	s.stop(t)
	lines := s.log.lines(t)
	if len(lines) != 2 {
		t.Fatalf("the log is %v, want one line of a loss besides the test's", lines)
	}
	for _, line := range lines {
		if text, err := json.Marshal(line); err != nil || strings.Contains(string(text), "hidden") {
			t.Errorf("the log tells a key: %s (%v)", text, err)
		}
	}
}

func TestAClientIsMadeForWhatTheVariablesSay(t *testing.T) {
	setEnv(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector:4318", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "https://metrics/v1/metrics",
		"OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca", "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE": "/logs/ca",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/crt", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/key",
		"OTEL_EXPORTER_OTLP_TIMEOUT": "7000",
	})
	var got []telemetry.Connection
	s, err := telemetry.Start(t.Context(), telemetry.Options{Logger: slog.New(slog.DiscardHandler), Client: func(c telemetry.Connection) (*http.Client, error) {
		got = append(got, c)
		return &http.Client{}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Shutdown(t.Context())
	base := telemetry.Connection{
		Endpoint: "https://collector:4318", CertificateFile: "/ca",
		ClientCertificateFile: "/crt", ClientKeyFile: "/key", Timeout: 7 * time.Second,
	}
	traces, metrics, logs := base, base, base
	traces.Signal = "traces"
	metrics.Signal, metrics.Endpoint = "metrics", "https://metrics/v1/metrics"
	logs.Signal, logs.CertificateFile = "logs", "/logs/ca"
	if diff := cmp.Diff([]telemetry.Connection{traces, metrics, logs}, got); diff != "" {
		t.Errorf("clients (-want +got):\n%s", diff)
	}
}

// The file is a real one, for the SDK looks into it.
func TestAFileForAllSignalsIsNotForOneWithoutTLS(t *testing.T) {
	ca, err := collector.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(file, ca.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	for signal, plain := range map[string]string{
		"traces": "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "metrics": "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "logs": "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
	} {
		t.Run(signal, func(t *testing.T) {
			s := startWith(t, map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c", plain: "http://c/v1", "OTEL_EXPORTER_OTLP_CERTIFICATE": file,
			}, func(c telemetry.Connection) (*http.Client, error) {
				want := telemetry.Connection{Signal: c.Signal, Endpoint: "http://c/v1", Timeout: c.Timeout}
				if c.Signal != signal {
					want.Endpoint, want.CertificateFile = "https://c", file
				}
				if diff := cmp.Diff(want, c); diff != "" {
					t.Errorf("client (-want +got):\n%s", diff)
				}
				return &http.Client{}, nil
			})
			ended, cancel := context.WithCancel(t.Context())
			cancel() // nothing is to be sent
			s.Shutdown(ended)
		})
	}
}

func TestAClientThatCannotBeMadeIsAnError(t *testing.T) {
	setEnv(t, map[string]string{"OTEL_TRACES_EXPORTER": "otlp"})
	want := errors.New("no client")
	_, err := telemetry.Start(t.Context(), telemetry.Options{Logger: slog.New(slog.DiscardHandler), Client: func(c telemetry.Connection) (*http.Client, error) {
		if c.Endpoint != "https://localhost:4318" {
			t.Errorf("the endpoint is %s, want the default", c.Endpoint)
		}
		return nil, want
	}})
	if !errors.Is(err, want) {
		t.Errorf("Start = %v, want %v", err, want)
	}
}
