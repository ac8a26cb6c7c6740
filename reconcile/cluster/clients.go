package cluster

import (
	"fmt"
	"net/http"

	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"
	oldgatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1beta1"
)

// clients are the typed clients, one for each API group and version.
type clients struct {
	certificateClient certmanagerclient.CertificatesGetter
	gatewayClient     gatewayclient.GatewaysGetter
	grantClient       gatewayclient.ReferenceGrantsGetter
	oldGrantClient    oldgatewayclient.ReferenceGrantsGetter
	eventClient       eventsclient.EventsGetter
	metadataClient    metadata.Interface
	restClient        rest.Interface // for what belongs to no group
	tokenClient       authenticationclient.TokenReviewsGetter
}

// connect makes the clients; all send through the one HTTP client.
func (c *clients) connect(config *rest.Config, client *http.Client) error {
	certificates, err := certmanagerclient.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for cert-manager.io/v1: %w", err)
	}
	gateways, err := gatewayclient.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for gateway.networking.k8s.io/v1: %w", err)
	}
	oldGateways, err := oldgatewayclient.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for gateway.networking.k8s.io/v1beta1: %w", err)
	}
	events, err := eventsclient.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for events.k8s.io/v1: %w", err)
	}
	objects, err := metadata.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for metadata: %w", err)
	}
	tokens, err := authenticationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return fmt.Errorf("make a client for authentication.k8s.io/v1: %w", err)
	}
	*c = clients{certificates, gateways, gateways, oldGateways, events, objects, certificates.RESTClient(), tokens}
	return nil
}
