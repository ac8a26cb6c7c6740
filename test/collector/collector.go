// Package collector is a small OpenTelemetry collector on loopback: it takes
// traces over OTLP/HTTP and keeps them in memory, so that a test can ask for
// them and a demonstration can print them.
package collector

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	collectorv1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// maxExportBytes bounds one export request, compressed or not.
const maxExportBytes = 16 << 20

// maxSpans is how many spans are kept, the latest, so that a long session does
// not fill the memory.
const maxSpans = 20_000

// Collector receives spans. It is safe for concurrent use.
type Collector struct {
	server   *http.Server
	endpoint string

	mu      sync.Mutex
	spans   []Span
	changed chan struct{} // closed and replaced whenever spans come in
}

// Start listens on a free loopback port until Close.
func Start() (*Collector, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for OTLP: %w", err)
	}
	c := &Collector{endpoint: "http://" + listener.Addr().String(), changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", c.export)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = c.server.Serve(listener) }() // ends with Close
	return c, nil
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

func (c *Collector) export(w http.ResponseWriter, r *http.Request) {
	body, err := read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var request collectorv1.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.keep(spansOf(&request))
	reply, err := proto.Marshal(&collectorv1.ExportTraceServiceResponse{})
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(reply)
}

func (c *Collector) keep(spans []Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, spans...)
	if surplus := len(c.spans) - maxSpans; surplus > 0 {
		c.spans = append([]Span(nil), c.spans[surplus:]...)
	}
	close(c.changed)
	c.changed = make(chan struct{})
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
