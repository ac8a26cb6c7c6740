package handler_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
)

// The reconciler stands for one whose patch is held up.
func TestD11AStoppingServerAcceptsNothingNewAndFinishesWhatRuns(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	started, finish := make(chan struct{}), make(chan struct{})
	applied := false
	h := handler.New(handler.Options{Reconciler: handleFunc(func(ctx context.Context) {
		close(started)
		<-finish
		applied = ctx.Err() == nil
	}), Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- handler.Serve(ctx, listener, h, slog.New(slog.DiscardHandler)) }()

	request := fixture(t, "certificate-add").WithContext(t.Context())
	answered := make(chan int, 1)
	go func() { answered <- statusOf(url, request) }()
	<-started
	stop()
	for {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			break
		}
		_ = connection.Close()
	}
	close(finish)
	if got := <-answered; got != http.StatusNoContent || !applied {
		t.Errorf("the request under way was answered %d, applied: %v; want 204, applied", got, applied)
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
