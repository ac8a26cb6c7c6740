package jaeger

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

const (
	// maxAnswerBytes bounds an answer; a trace of ours is some 50 KB.
	maxAnswerBytes = 64 << 20
	findPoll       = 100 * time.Millisecond
)

// Search is what a person on call knows of a trace.
type Search struct {
	// Service is the service.name of one of its spans.
	Service string
	// Tags are attributes that one span of the service has, all of them.
	Tags map[string]string
}

// query returns the parameters that Jaeger's own pages search with. Unlike
// these, the documented /api/v3/traces takes no attributes.
func (s Search) query() string {
	tags, _ := json.Marshal(s.Tags) // of strings, which cannot fail
	return url.Values{"service": {s.Service}, "tags": {string(tags)}}.Encode()
}

// SearchURL is where a search is answered in JSON.
func (s *Server) SearchURL(search Search) string {
	return s.url + "/api/traces?" + search.query() + "&prettyPrint=true"
}

// TraceURL is where one trace is, in JSON.
func (s *Server) TraceURL(id string) string { return s.url + "/api/traces/" + id + "?prettyPrint=true" }

// Find returns the traces of the last two days that a search fits, with the
// spans that have come in so far. None is no error.
func (s *Server) Find(ctx context.Context, search Search) ([]collector.Trace, error) {
	var found answer
	if err := s.get(ctx, "/api/traces?"+search.query(), &found); err != nil {
		return nil, fmt.Errorf("search traces of %s in Jaeger: %w", search.Service, err)
	}
	return found.traces()
}

// WaitFor returns the first trace that a search fits and that accept takes, as
// soon as there is one. A trace grows as its spans come in, so accept may see it
// in part first. The error is that of ctx, or what Jaeger answered last.
func (s *Server) WaitFor(ctx context.Context, search Search, accept func(collector.Trace) bool) (collector.Trace, error) {
	var wanted collector.Trace
	var lastErr error
	seen := 0
	err := wait.PollUntilContextCancel(ctx, findPoll, true, func(ctx context.Context) (bool, error) {
		traces, err := s.Find(ctx, search)
		if err != nil {
			if ctx.Err() == nil {
				lastErr = err
			}
			return false, nil
		}
		seen, lastErr = len(traces), nil
		for _, trace := range traces {
			if accept(trace) {
				wanted = trace
				return true, nil
			}
		}
		return false, nil
	})
	switch {
	case err == nil:
		return wanted, nil
	case lastErr != nil:
		return collector.Trace{}, lastErr
	default:
		return collector.Trace{}, fmt.Errorf("wait for a trace with %v in Jaeger, which has %d such and none as wanted: %w", search.Tags, seen, err)
	}
}

// get decodes the JSON that Jaeger answers with.
func (s *Server) get(ctx context.Context, path string, into any) error {
	body, err := s.read(ctx, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("decode what %s answers: %w", path, err)
	}
	return nil
}

func (s *Server) read(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, fmt.Errorf("read what %s answers: %w", path, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: %.200s", path, response.Status, body)
	}
	return body, nil
}
