package zero

import (
	"context"
	"testing"
	"time"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"
)

// gatewayWatch notes when each hostname was first seen on a Gateway.
type gatewayWatch struct {
	seen chan sighting
	last map[string]time.Time
}

type sighting struct {
	at        time.Time
	hostnames []string
}

func watchGateways(t *testing.T, namespace string) *gatewayWatch {
	t.Helper()
	gateways, err := gatewayclient.NewForConfig(node.config)
	if err != nil {
		t.Fatal(err)
	}
	w := &gatewayWatch{seen: make(chan sighting, 1000), last: map[string]time.Time{}}
	from := listWatch(gateways.RESTClient(), "gateways", namespace)
	follow(t, from, &gatewayv1.Gateway{}, func(object any, gone bool) {
		if gateway, ok := object.(*gatewayv1.Gateway); ok && !gone {
			w.seen <- sighting{time.Now(), hostnames(gateway)}
		}
	})
	return w
}

// wait returns when a hostname was on a Gateway.
func (w *gatewayWatch) wait(t *testing.T, hostname string) time.Time {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		if at, there := w.last[hostname]; there {
			return at
		}
		select {
		case s := <-w.seen:
			for _, one := range s.hostnames {
				if _, there := w.last[one]; !there {
					w.last[one] = s.at
				}
			}
		case <-ctx.Done():
			t.Fatalf("no Gateway has %s after %v", hostname, patience)
		}
	}
}

func hostnames(gateway *gatewayv1.Gateway) []string {
	var names []string
	for _, listener := range gateway.Spec.Listeners {
		if listener.Hostname != nil {
			names = append(names, string(*listener.Hostname))
		}
	}
	return names
}
