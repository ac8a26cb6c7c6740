package handler_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
)

const maxInFlight = 100

func TestOneRequestTooManyIsTurnedAwayAtOnceAndTheOthersAreServed(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	server := watched(t, handleFunc(func(context.Context) { entered <- struct{}{}; <-leave }))
	answered := make(chan []int, 1)
	go func() { answered <- sendAll(t, server.URL, maxInFlight) }()
	for range maxInFlight {
		<-entered
	}

	// A body that never comes: whoever waits for it gives no answer.
	body, unsent := io.Pipe()
	defer unsent.Close()
	tooMany := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", body)
	tooMany.Header.Set("Content-Type", event.ApplicationCloudEventsJSON)
	response := send(t, server.Server, tooMany)
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("status = %d with Retry-After %q, want 503 with one", response.StatusCode, response.Header.Get("Retry-After"))
	}
	for _, path := range []string{"/", "/healthz"} {
		if got := send(t, server.Server, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)).StatusCode; got != http.StatusOK {
			t.Errorf("a probe of %s is answered %d meanwhile, want 200", path, got)
		}
	}

	close(leave)
	for i, got := range <-answered {
		if got != http.StatusNoContent {
			t.Errorf("request %d of those that were there is answered %d, want 204", i, got)
		}
	}
	go func() { <-entered }()
	if got := send(t, server.Server, fixture(t, "certificate-add")).StatusCode; got != http.StatusNoContent {
		t.Errorf("with room again a request is answered %d, want 204", got)
	}
	if lines := server.log.lines(t); len(lines) == 0 || lines[0].Level != "WARN" || lines[0].Msg != "too many requests at once" {
		t.Errorf("the log is %+v, want a warning first", lines)
	}
}
