package outcomes_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
)

// sink stands for one in memory, so that a bubble of testing/synctest can hold it.
// What HTTP makes of a request is tested over the real one.
type sink struct {
	// answer is asked with the number of the request, from 1; nil means 202.
	answer func(n int, r *http.Request) (*http.Response, error)

	mu       sync.Mutex
	requests []request
}

type request struct {
	event event.Event
	at    time.Time
}

func (s *sink) RoundTrip(r *http.Request) (*http.Response, error) {
	e, err := cehttp.NewEventFromHTTPRequest(r)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.requests = append(s.requests, request{*e, time.Now()})
	n := len(s.requests)
	s.mu.Unlock()
	if s.answer == nil {
		return status(http.StatusAccepted), nil
	}
	return s.answer(n, r)
}

func (s *sink) got() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

// gateways are the names of those that the requests were about.
func (s *sink) gateways() []string {
	var names []string
	for _, r := range s.got() {
		names = append(names, strings.TrimPrefix(r.event.Subject(), "infra/"))
	}
	return names
}

func status(code int, headers ...string) *http.Response {
	r := &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// answers are given in turn, and the last one from then on; 0 is none.
func answers(codes ...int) func(int, *http.Request) (*http.Response, error) {
	return func(n int, _ *http.Request) (*http.Response, error) {
		code := codes[min(n, len(codes))-1]
		if code == 0 {
			return nil, errors.New("connection refused")
		}
		return status(code), nil
	}
}

// hang answers nobody.
func hang(_ int, r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// slow answers each after that time.
func slow(d time.Duration) func(int, *http.Request) (*http.Response, error) {
	return func(_ int, r *http.Request) (*http.Response, error) {
		select {
		case <-time.After(d):
			return status(http.StatusOK), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// watched is a Sender with what it leaves in the log and in metrics.
type watched struct {
	*outcomes.Sender
	sink    *sink
	log     *logBuffer
	results *tally
}

func newWatched(s *sink, mutate ...func(*outcomes.Options)) *watched {
	w := &watched{sink: s, log: &logBuffer{}, results: &tally{}}
	options := outcomes.Options{
		Sink:    &url.URL{Scheme: "http", Host: "sink.example.com", RawQuery: "token=s3cret"},
		Client:  &http.Client{Transport: s},
		Tracing: noop.NewTracerProvider(),
		Metrics: w.results,
		Logger:  slog.New(slog.NewJSONHandler(w.log, nil)),
	}
	for _, m := range mutate {
		m(&options)
	}
	w.Sender = outcomes.New(options)
	return w
}

// close gives the Sender the time that a stopping process has.
func (w *watched) close() {
	ctx, cancel := context.WithTimeout(context.Background(), outcomes.CloseTimeout)
	defer cancel()
	w.Close(ctx)
}

// finish waits until the queue is worked off, however long that takes.
func (w *watched) finish() { w.Close(context.Background()) }

func (w *watched) expect(t *testing.T, want map[string]int) {
	t.Helper()
	w.results.mu.Lock()
	defer w.results.mu.Unlock()
	for _, result := range []string{"Delivered", "Dropped", "Refused"} {
		if w.results.count[result] != want[result] {
			t.Errorf("%d events are %s, want %d; the log is %+v", w.results.count[result], result, want[result], w.log.lines(t))
		}
	}
}

// tally is a MeterProvider that counts by the attribute of gateway_cert.outcomes.
type tally struct {
	metricnoop.MeterProvider
	mu    sync.Mutex
	count map[string]int
}

func (t *tally) Meter(string, ...metric.MeterOption) metric.Meter { return tallyMeter{t: t} }

type tallyMeter struct {
	metricnoop.Meter
	t *tally
}

func (m tallyMeter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	if name != "gateway_cert.outcomes" {
		return nil, errors.New("unknown instrument " + name)
	}
	return tallyCounter{t: m.t}, nil
}

type tallyCounter struct {
	metricnoop.Int64Counter
	t *tally
}

func (c tallyCounter) Add(_ context.Context, n int64, options ...metric.AddOption) {
	c.t.mu.Lock()
	defer c.t.mu.Unlock()
	if c.t.count == nil {
		c.t.count = map[string]int{}
	}
	attributes := metric.NewAddConfig(options).Attributes()
	result, _ := attributes.Value("gateway_cert.outcome.result")
	c.t.count[result.AsString()] += int(n)
}

type logLine struct {
	Msg, Last string
	Count     int
}

type logBuffer struct{ recording.Log }

func (b *logBuffer) lines(t *testing.T) []logLine {
	t.Helper()
	var lines []logLine
	for decoder := json.NewDecoder(strings.NewReader(b.String())); ; {
		var line logLine
		switch err := decoder.Decode(&line); {
		case errors.Is(err, io.EOF):
			return lines
		case err != nil:
			t.Fatalf("read the log: %v", err)
		}
		lines = append(lines, line)
	}
}
