// Package collector is a small OpenTelemetry collector on loopback: it takes
// traces, metrics and logs over OTLP/HTTP and keeps them in memory, so that a
// test can ask for them and a demonstration can print them.
package collector

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	logsv1 "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricsv1 "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// maxExportBytes bounds one export request, compressed or not.
const maxExportBytes = 16 << 20

// maxKept is how many spans are kept, and points of metrics, and log records, the
// latest, so that a long session does not fill the memory.
const maxKept = 20_000

// Options are how a Collector differs from one that answers at once and in
// clear.
type Options struct {
	// Address is where it listens, as host:port; empty is a free loopback port.
	Address string
	// TLS is what it serves with; nil is plain HTTP.
	TLS *tls.Config
	// Delay is how long it takes to answer.
	Delay time.Duration
}

// Collector receives telemetry. It is safe for concurrent use.
type Collector struct {
	server   *http.Server
	endpoint string
	delay    time.Duration

	mu      sync.Mutex
	spans   []Span
	points  []Point
	logs    []LogRecord
	changed chan struct{} // closed and replaced whenever spans come in
}

// Start listens on a free loopback port until Close.
func Start() (*Collector, error) { return StartWith(Options{}) }

// StartWith is Start with options.
func StartWith(options Options) (*Collector, error) {
	listener, err := net.Listen("tcp", cmp.Or(options.Address, "127.0.0.1:0"))
	if err != nil {
		return nil, fmt.Errorf("listen for OTLP: %w", err)
	}
	c := &Collector{endpoint: "http://" + listener.Addr().String(), delay: options.Delay, changed: make(chan struct{})}
	if options.TLS != nil {
		c.endpoint = "https://" + listener.Addr().String()
		listener = tls.NewListener(listener, options.TLS)
	}
	c.server = &http.Server{Handler: c.routes(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.server.Serve(listener) }() // ends with Close
	return c, nil
}

func (c *Collector) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		var request collectorv1.ExportTraceServiceRequest
		c.export(w, r, &request, func() { c.spans = latest(c.spans, spansOf(&request)) })
	})
	mux.HandleFunc("POST /v1/metrics", func(w http.ResponseWriter, r *http.Request) {
		var request metricsv1.ExportMetricsServiceRequest
		c.export(w, r, &request, func() { c.points = latest(c.points, pointsOf(&request)) })
	})
	mux.HandleFunc("POST /v1/logs", func(w http.ResponseWriter, r *http.Request) {
		var request logsv1.ExportLogsServiceRequest
		c.export(w, r, &request, func() { c.logs = latest(c.logs, logRecordsOf(&request)) })
	})
	return mux
}

// Endpoint is a value for OTEL_EXPORTER_OTLP_ENDPOINT.
func (c *Collector) Endpoint() string { return c.endpoint }

// Close stops listening and drops connections.
func (c *Collector) Close() error { return c.server.Close() }

// Spans returns what has come in so far, in the order of arrival.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Points returns the points of metrics that have come in so far, likewise.
func (c *Collector) Points() []Point {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Point(nil), c.points...)
}

// LogRecords returns the log records that have come in so far, likewise.
func (c *Collector) LogRecords() []LogRecord {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]LogRecord(nil), c.logs...)
}

// Wait returns the first trace for which accept holds, as soon as there is one.
// A trace grows as its spans come in, from several processes, so accept may see
// it in part first. The error is that of ctx.
func (c *Collector) Wait(ctx context.Context, accept func(Trace) bool) (Trace, error) {
	for {
		c.mu.Lock()
		traces, changed := tracesOf(c.spans), c.changed
		c.mu.Unlock()
		for _, t := range traces {
			if accept(t) {
				return t, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Trace{}, fmt.Errorf("wait for a trace, %d there and none as wanted: %w", len(traces), ctx.Err())
		}
	}
}

// export reads a request and keeps what it holds. The answer to each kind of
// request is an empty message.
func (c *Collector) export(w http.ResponseWriter, r *http.Request, request proto.Message, keep func()) {
	body, err := read(r)
	if err == nil {
		err = proto.Unmarshal(body, request)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case <-time.After(c.delay):
	case <-r.Context().Done(): // who sent it does not count on it any more
		return
	}
	c.mu.Lock()
	keep()
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// latest returns the last of both.
func latest[T any](kept, more []T) []T {
	kept = append(kept, more...)
	if surplus := len(kept) - maxKept; surplus > 0 {
		kept = append([]T(nil), kept[surplus:]...)
	}
	return kept
}

func read(r *http.Request) ([]byte, error) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("read gzip: %w", err)
		}
		defer unzipped.Close()
		body = unzipped
	}
	return io.ReadAll(io.LimitReader(body, maxExportBytes))
}
