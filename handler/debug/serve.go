package debug

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	// readTimeout is for a person on this machine.
	readTimeout = 5 * time.Second
	// writeTimeout leaves time for a profile of a minute.
	writeTimeout = 90 * time.Second
)

// Listen opens a loopback address, as host:port. An error is also that it is none.
func Listen(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not of the form host:port: %w", address, err)
	}
	if !IsLoopback(host) {
		return nil, fmt.Errorf("%q is not an address of this machine alone: write 127.0.0.1:PORT, and reach it by kubectl port-forward", address)
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// Serve answers until ctx ends, and then cuts off who is still asking.
func Serve(ctx context.Context, listener net.Listener, h http.Handler, logger *slog.Logger) {
	server := &http.Server{
		Handler: h, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		logger.Error("the debug endpoints are gone", "error", err)
	}
}
