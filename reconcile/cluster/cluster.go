package cluster

import (
	"fmt"
	"net/http"

	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/client-go/rest"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"
)

// Cluster is one API server, seen through typed clients: no discovery, no
// informer, no cache. It is safe for concurrent use.
type Cluster struct {
	certificateClient certmanagerclient.CertificatesGetter
	gatewayClient     gatewayclient.GatewaysGetter

	certificatesSeen newest
	gatewaysSeen     newest
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
	// One transport for both groups, so that they share its connections.
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make an HTTP client for %s: %w", config.Host, err)
	}
	certificates, err := certmanagerclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("make a client for cert-manager.io/v1: %w", err)
	}
	gateways, err := gatewayclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("make a client for gateway.networking.k8s.io/v1: %w", err)
	}
	return &Cluster{certificateClient: certificates, gatewayClient: gateways}, nil
}
