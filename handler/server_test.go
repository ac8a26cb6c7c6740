package handler_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
)

func TestAStoppingServerFinishesWhatRuns(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	started, finish := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(started)
		<-finish
		w.WriteHeader(http.StatusNoContent)
	})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- handler.Serve(ctx, listener, slow, slog.New(slog.DiscardHandler)) }()

	answered := make(chan int, 1)
	go func() {
		response, err := http.Get("http://" + listener.Addr().String())
		if err != nil {
			answered <- 0
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		answered <- response.StatusCode
	}()
	<-started
	stop()
	close(finish)
	if got := <-answered; got != http.StatusNoContent {
		t.Errorf("the request under way was answered %d, want 204", got)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
}

func TestServeSaysWhyItCannot(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	if err := handler.Serve(t.Context(), listener, http.NotFoundHandler(), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("Serve on a closed listener = nil, want an error")
	}
}
