package main

import (
	"fmt"

	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/rest"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// server is the API server that kubectl's flags choose.
type server struct {
	certificates certmanagerclient.CertificatesGetter
	gateways     gatewayclient.GatewayV1Interface
	events       eventsclient.EventsGetter
	// cluster reads as the handler does.
	cluster *cluster.Cluster
}

func connect(flags genericclioptions.RESTClientGetter) (*server, error) {
	access, err := flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	access = rest.CopyConfig(access)
	access.QPS = -1 // the API server's priority and fairness decides who waits
	certificates, err := certmanagerclient.NewForConfig(access)
	if err != nil {
		return nil, fmt.Errorf("make a client for cert-manager.io/v1: %w", err)
	}
	gateways, err := gatewayclient.NewForConfig(access)
	if err != nil {
		return nil, fmt.Errorf("make a client for gateway.networking.k8s.io/v1: %w", err)
	}
	events, err := eventsclient.NewForConfig(access)
	if err != nil {
		return nil, fmt.Errorf("make a client for events.k8s.io/v1: %w", err)
	}
	handlers, err := cluster.New(access, noop.NewTracerProvider())
	if err != nil {
		return nil, err
	}
	return &server{certificates, gateways, events, handlers}, nil
}
