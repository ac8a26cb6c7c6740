package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/gateway"
	"github.com/traefik/traefik/v3/pkg/safe"
	"golang.org/x/sync/errgroup"
)

// Names of the entry points, as Traefik's documentation has them.
const (
	web       = "web"
	webSecure = "websecure"
)

// headerTimeout bounds what a client may take to send the head of a request.
const headerTimeout = 5 * time.Second

// run serves until ctx ends.
func run(ctx context.Context) error {
	plain, err := listen()
	if err != nil {
		return err
	}
	secure, err := listen()
	if err != nil {
		return err
	}
	serving := newConfiguration()
	changes := make(chan dynamic.Message)
	if err := provide(ctx, changes, map[string]gateway.Entrypoint{
		web:       {Address: plain.Addr().String()},
		webSecure: {Address: secure.Addr().String(), HasHTTPTLSConf: true},
	}); err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	log.Info("listening", "http", plain.Addr().String(), "https", secure.Addr().String())

	running, ctx := errgroup.WithContext(ctx)
	running.Go(func() error { return serve(ctx, plain, serving.entryPoint(web)) })
	running.Go(func() error {
		return serve(ctx, tls.NewListener(secure, serving.tls()), serving.entryPoint(webSecure))
	})
	running.Go(func() error { return follow(ctx, changes, serving, log) })
	return running.Wait()
}

func listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on a free port: %w", err)
	}
	return listener, nil
}

// provide has Traefik's provider send a message for each change.
func provide(ctx context.Context, changes chan<- dynamic.Message, entryPoints map[string]gateway.Entrypoint) error {
	provider := &gateway.Provider{
		StatusAddress: &gateway.StatusAddress{IP: "127.0.0.1"},
		EntryPoints:   entryPoints,
	}
	provider.SetDefaults()
	if err := provider.Init(); err != nil { // it reads KUBECONFIG
		return fmt.Errorf("start Traefik's provider: %w", err)
	}
	if err := provider.Provide(changes, safe.NewPool(ctx)); err != nil {
		return fmt.Errorf("start Traefik's provider: %w", err)
	}
	return nil
}

// follow has each change served.
func follow(ctx context.Context, changes <-chan dynamic.Message, serving *configuration, log *slog.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case change := <-changes:
			if err := serving.update(ctx, change.Configuration); err != nil {
				return err
			}
			log.Info("configured", "certificates", len(change.Configuration.TLS.Certificates),
				"routers", len(change.Configuration.HTTP.Routers))
		}
	}
}

// serve returns when ctx ends, without waiting for requests.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	}
	return nil
}
