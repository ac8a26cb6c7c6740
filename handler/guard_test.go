package handler_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// fragile panics with each of its values in turn, and then works.
type fragile struct {
	recorder
	values []any
}

func (f *fragile) Handle(ctx context.Context, change reconcile.Change) ([]reconcile.Outcome, error) {
	if len(f.values) > 0 {
		value := f.values[0]
		f.values = f.values[1:]
		panic(value)
	}
	return f.recorder.Handle(ctx, change)
}

func TestAPanicIsAnswered503AndRecordedAndTheNextRequestIsServed(t *testing.T) {
	server := watched(t, &fragile{values: []any{"boom"}})
	response := send(t, server.Server, fixture(t, "certificate-add"))
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("status = %d with Retry-After %q, want 503 with one", response.StatusCode, response.Header.Get("Retry-After"))
	}
	lines := server.log.lines(t)
	if len(lines) != 1 || lines[0].Level != "ERROR" || lines[0].Error != "panic: boom" || !strings.Contains(lines[0].Stack, "(*fragile).Handle") {
		t.Errorf("the log is %+v, want one error with the stack", lines)
	}
	spans := server.spans.GetSpans()
	if len(spans) != 1 || spans[0].Status.Code != codes.Error || len(spans[0].Events) != 1 || spans[0].Events[0].Name != "exception" {
		t.Errorf("spans are %+v, want one that is an error and has the exception", spans)
	}
	if got := send(t, server.Server, fixture(t, "certificate-add")).StatusCode; got != http.StatusNoContent {
		t.Errorf("the next request is answered %d, want 204", got)
	}
}

func TestAPanicSpoilsNoBatch(t *testing.T) {
	r := &fragile{values: []any{"boom"}}
	if got := send(t, serve(t, r), batchRequest(t, baseEvent(t), baseEvent(t))).StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("status = %d, want 503", got)
	}
	if len(r.changes) != 1 {
		t.Errorf("%d changes, want that of the second event", len(r.changes))
	}
}

type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic("boom") }

func TestAPanicWhileReadingAnEventIsAnswered503(t *testing.T) {
	response := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.NopCloser(panickingBody{}))
	watched(t, &recorder{}).handler.ServeHTTP(response, request)
	if response.Code != http.StatusServiceUnavailable || response.Header().Get("Retry-After") == "" {
		t.Errorf("status = %d, want 503 with Retry-After", response.Code)
	}
}

func TestARequestThatIsToBeAbortedIs(t *testing.T) {
	server := watched(t, &fragile{values: []any{http.ErrAbortHandler}})
	if got := statusOf(server.URL, fixture(t, "certificate-add").WithContext(t.Context())); got != 0 {
		t.Errorf("status = %d, want no answer", got)
	}
	if lines := server.log.lines(t); len(lines) > 0 {
		t.Errorf("the log is %+v, want nothing", lines)
	}
}
