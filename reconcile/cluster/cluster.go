package cluster

import (
	"fmt"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/client-go/rest"
)

// Cluster is one API server, seen through typed clients: no discovery, no
// informer, no cache. It is safe for concurrent use.
type Cluster struct {
	clients
	certificatesSeen newest
	gatewaysSeen     newest
	grantsSeen       newest
	order            order
	instance         string // of this program, as its Events name it
}

// New returns the Cluster behind config, which is not modified. Every request
// to it is a client span of the provider. Errors are those of a config that no
// client can be made from; nothing is sent yet.
func New(config *rest.Config, provider trace.TracerProvider) (*Cluster, error) {
	config = rest.CopyConfig(config)
	// The API server's own priority and fairness decides who waits; a limit in
	// the client would only add to the time that the event source waits for us.
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return otelhttp.NewTransport(next,
			otelhttp.WithTracerProvider(provider),
			otelhttp.WithSpanNameFormatter(spanName),
			otelhttp.WithPropagators(propagation.TraceContext{}))
	})
	// One transport for all groups, so that they share its connections.
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make an HTTP client for %s: %w", config.Host, err)
	}
	c := &Cluster{instance: reportingInstance()}
	if err := c.connect(config, client); err != nil {
		return nil, err
	}
	return c, nil
}
