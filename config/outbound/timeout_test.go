package outbound_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// errBatch is the kind of cause that OpenTelemetry's SDK gives its contexts.
// net/http returns it in place of the context's own error.
var errBatch = errors.New("processor export timeout")

// interrupted sends a request to a server that hangs. end ends the context, once
// the request has arrived.
func interrupted(t *testing.T, ctx context.Context, http2 bool, end func()) error {
	t.Helper()
	private, arrived := newAuthority(t, "private"), make(chan struct{})
	server := private.serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		panic(http.ErrAbortHandler) // no answer, which might still arrive
	}, func(s *httptest.Server) { s.EnableHTTP2 = http2 })
	go func() {
		select {
		case <-arrived:
			end()
		case <-t.Context().Done():
		}
	}()
	config := plainConfig(trusting(private))
	config.Endpoints = []string{server.URL}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = do(acquire(t, newFactory(t, nil), config).Client(), r)
	return err
}

func TestARequestIsToldToHaveEndedWithItsContextWhateverTheCause(t *testing.T) {
	for protocol, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run("out of time over "+protocol, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errBatch)
			defer cancel()
			err := interrupted(t, ctx, http2, func() {})
			expectError(t, err, "transient", "no answer in time")
			if told, ok := errors.AsType[*url.Error](err); !ok || !told.Timeout() || !told.Temporary() || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error = %v, want a temporary timeout", err)
			}
		})
		t.Run("cancelled over "+protocol, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			err := interrupted(t, ctx, http2, func() { cancel(errBatch) })
			expectError(t, err, "transient", "given up, as its context ended")
			if told, ok := errors.AsType[*url.Error](err); !ok || told.Timeout() || !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want that it was cancelled", err)
			}
		})
	}
}
