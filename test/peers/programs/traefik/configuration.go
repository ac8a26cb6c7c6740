package main

import (
	"context"
	stdtls "crypto/tls"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/middlewares/gatewayapi/redirect"
	"github.com/traefik/traefik/v3/pkg/middlewares/requestdecorator"
	muxer "github.com/traefik/traefik/v3/pkg/muxer/http"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/gateway"
	"github.com/traefik/traefik/v3/pkg/tls"
)

// configuration is what is served now.
type configuration struct {
	certificates *tls.Manager
	routes       atomic.Pointer[map[string]http.Handler] // by entry point
}

func newConfiguration() *configuration {
	c := &configuration{certificates: tls.NewManager(nil)}
	c.routes.Store(&map[string]http.Handler{})
	return c
}

// tls asks Traefik's manager anew for each connection. Who asks for a name that
// it has no certificate for gets the one that it makes for itself.
func (c *configuration) tls() *stdtls.Config {
	return &stdtls.Config{GetConfigForClient: func(*stdtls.ClientHelloInfo) (*stdtls.Config, error) {
		return c.certificates.Get(tls.DefaultTLSStoreName, tls.DefaultTLSConfigName)
	}}
}

// entryPoint answers by the routes that are there at each request.
func (c *configuration) entryPoint(name string) http.Handler {
	host := requestdecorator.New(nil) // matchers look for the host where this puts it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		routes, made := (*c.routes.Load())[name]
		if !made {
			routes = http.NotFoundHandler()
		}
		host.ServeHTTP(w, r, routes.ServeHTTP)
	})
}

// update has the next connections and requests served by what the provider says.
func (c *configuration) update(ctx context.Context, from *dynamic.Configuration) error {
	routes := map[string]http.Handler{}
	for _, entryPoint := range []string{web, webSecure} {
		made, err := makeRoutes(ctx, from.HTTP, entryPoint)
		if err != nil {
			return err
		}
		routes[entryPoint] = made
	}
	options := map[string]tls.Options{tls.DefaultTLSConfigName: tls.DefaultTLSOptions}
	c.certificates.UpdateConfigs(ctx, from.TLS.Stores, options, from.TLS.Certificates)
	c.routes.Store(&routes)
	return nil
}

// ruleSyntax is the one that the provider of Gateways writes its rules in.
const ruleSyntax = "default"

func makeRoutes(ctx context.Context, from *dynamic.HTTPConfiguration, entryPoint string) (http.Handler, error) {
	parser, err := muxer.NewSyntaxParser()
	if err != nil {
		return nil, fmt.Errorf("make Traefik's parser of rules: %w", err)
	}
	routes := muxer.NewMuxer(parser, nil)
	for name, router := range from.Routers {
		if !slices.Contains(router.EntryPoints, entryPoint) {
			continue
		}
		handler, err := makeHandler(ctx, from, router)
		if err != nil {
			return nil, fmt.Errorf("make router %s: %w", name, err)
		}
		if err := routes.AddRoute(router.Rule, ruleSyntax, router.Priority, gateway.ProviderName, handler); err != nil {
			return nil, fmt.Errorf("make router %s: %w", name, err)
		}
	}
	return routes, nil
}

// makeHandler puts a router's redirects before a backend that there is none of.
func makeHandler(ctx context.Context, from *dynamic.HTTPConfiguration, router *dynamic.Router) (http.Handler, error) {
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no backend", http.StatusServiceUnavailable)
	})
	for _, name := range slices.Backward(router.Middlewares) {
		middleware := from.Middlewares[name]
		if middleware == nil || middleware.RequestRedirect == nil {
			return nil, fmt.Errorf("middleware %s is not a RequestRedirect, which is all that there is here", name)
		}
		var err error
		if handler, err = redirect.NewRequestRedirect(ctx, handler, *middleware.RequestRedirect, name); err != nil {
			return nil, fmt.Errorf("make middleware %s: %w", name, err)
		}
	}
	return handler, nil
}
