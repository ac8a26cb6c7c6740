package handshake

import (
	"context"
	"fmt"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// handshakeEach is how often a client tries while it is not served yet: the first
// good handshake is told with this precision.
const handshakeEach = 10 * time.Millisecond

// Journey is the way of one Certificate.
type Journey struct {
	// Config is the admin's.
	Config *rest.Config
	Client *Client
	// Trace waits for a trace of the handler's, as Collector.Wait does; nil leaves
	// out the stages that only a trace tells.
	Trace func(context.Context, func(collector.Trace) bool) (collector.Trace, error)
	// Gateway is the one that the Certificate asks.
	Gateway types.NamespacedName
	// Certificate is what is created. Its first DNS name is what is asked for.
	Certificate *certmanagerv1.Certificate
}

// Follow creates the Certificate and returns when a client was served what was
// issued for it, with when each stage was reached. The error is that of ctx if
// this does not happen.
func (j Journey) Follow(ctx context.Context) ([]Stage, error) {
	certificates, err := certmanagerclient.NewForConfig(j.Config)
	if err != nil {
		return nil, fmt.Errorf("make a client for Certificates: %w", err)
	}
	gateways, err := gatewayclient.NewForConfig(j.Config)
	if err != nil {
		return nil, fmt.Errorf("make a client for Gateways: %w", err)
	}
	certificate, err := certificates.Certificates(j.Certificate.Namespace).Watch(ctx, named(j.Certificate.Name))
	if err != nil {
		return nil, fmt.Errorf("watch the Certificate: %w", err)
	}
	defer certificate.Stop()
	gateway, err := gateways.Gateways(j.Gateway.Namespace).Watch(ctx, named(j.Gateway.Name))
	if err != nil {
		return nil, fmt.Errorf("watch the Gateway: %w", err)
	}
	defer gateway.Stop()

	began := time.Now()
	if _, err := certificates.Certificates(j.Certificate.Namespace).Create(ctx, j.Certificate, metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("create the Certificate: %w", err)
	}
	reached := make([]Stage, 3)
	following, waiting := errgroup.WithContext(ctx)
	follow := func(stage *Stage, what string, wait func(context.Context) error) {
		following.Go(func() error {
			if err := wait(waiting); err != nil {
				return fmt.Errorf("wait for %q: %w", what, err)
			}
			*stage = Stage{what, time.Since(began)}
			return nil
		})
	}
	follow(&reached[0], Issued, func(ctx context.Context) error { return until(ctx, certificate, isIssued) })
	follow(&reached[1], Programmed, func(ctx context.Context) error { return until(ctx, gateway, j.isProgrammed) })
	follow(&reached[2], Shaken, j.shake)
	if err := following.Wait(); err != nil {
		return nil, err
	}
	told, err := j.told(ctx, began)
	return append(reached, told...), err
}

func named(name string) metav1.ListOptions {
	return metav1.ListOptions{FieldSelector: "metadata.name=" + name}
}
