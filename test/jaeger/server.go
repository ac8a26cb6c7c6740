package jaeger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

const (
	// startTimeout is far above the second that Jaeger takes to be ready.
	startTimeout = 30 * time.Second
	readyPoll    = 50 * time.Millisecond

	// stopGrace is far above what Jaeger takes to end: it has nothing to flush.
	stopGrace = 20 * time.Second
)

// Options say how to run Jaeger.
type Options struct {
	// Program is the path that Build has returned.
	Program string
	// QueryAddress is where the query API listens; a free loopback port if it is
	// empty.
	QueryAddress string
	// Log receives Jaeger's log, one line per Write; nil drops it.
	Log io.Writer
}

// Server is a running Jaeger. It dies with this process.
type Server struct {
	process  *controlplane.Process
	endpoint string
	url      string
}

// Start runs Jaeger and returns when it takes spans and answers queries, or with
// what it said last when it does not within half a minute. Stop ends it; if
// Start fails, or ctx ends meanwhile, it is stopped.
func Start(ctx context.Context, opts Options) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	log := newAddressFinder(opts.Log)
	process, err := controlplane.StartProcess(controlplane.ProcessOptions{
		Name: "Jaeger", Path: opts.Program, Args: arguments(cmp.Or(opts.QueryAddress, "127.0.0.1:0")), Output: log,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{process: process}
	if err := s.waitUntilReady(ctx, log); err != nil {
		_ = s.Stop() // what went wrong before counts
		return nil, fmt.Errorf("start Jaeger: %w; it said: %s", err, log.last())
	}
	return s, nil
}

func (s *Server) waitUntilReady(ctx context.Context, log *addressFinder) error {
	select {
	case <-log.complete:
		s.endpoint, s.url = "http://"+log.otlp+"/v1/traces", "http://"+log.query
	case <-s.process.Done():
		return errors.New("it ended before it listened")
	case <-ctx.Done():
		return fmt.Errorf("wait for its addresses: %w", context.Cause(ctx))
	}
	for {
		err := s.get(ctx, "/api/services", &struct{}{})
		if err == nil {
			return nil
		}
		select {
		case <-time.After(readyPoll):
		case <-s.process.Done():
			return fmt.Errorf("it ended before it answered: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("wait for an answer: %w", err)
		}
	}
}

// TracesEndpoint is a value for OTEL_EXPORTER_OTLP_TRACES_ENDPOINT. Jaeger takes
// nothing but traces.
func (s *Server) TracesEndpoint() string { return s.endpoint }

// URL is where the query API is, and the web pages if this Jaeger has them.
func (s *Server) URL() string { return s.url }

// Stop ends Jaeger. Its traces are gone.
func (s *Server) Stop() error { return s.process.Stop(stopGrace) }

// client bounds each query by itself: an answer comes from memory on this
// machine.
var client = &http.Client{Timeout: 10 * time.Second}
