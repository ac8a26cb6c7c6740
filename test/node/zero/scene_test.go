package zero

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// scene is Gateways, one for each time: what the API server needs to check a
// Gateway grows with its listeners.
type scene struct {
	n        *namespace.Namespace
	gateways *gatewayWatch
	adapters *adapterLog
	names    []string
}

func newScene(t *testing.T, prefix string) *scene {
	t.Helper()
	s := &scene{n: newNamespace(t)}
	for i := range wakes() {
		name := fmt.Sprintf("%s-%d", prefix, i)
		s.n.CreateGateway(name, nil)
		s.names = append(s.names, name)
	}
	s.gateways = watchGateways(t, s.n.Name)
	s.adapters = followAdapters(t)
	return s
}

// next is the scene of one time more.
func (s *scene) next() take {
	name := s.names[0]
	s.names = s.names[1:]
	return take{s.n, s.gateways, s.adapters, name}
}

// take is one time: a Gateway and a Certificate for it, of the same name.
type take struct {
	n        *namespace.Namespace
	gateways *gatewayWatch
	adapters *adapterLog
	name     string
}

// play makes the Certificate and returns when, and when it was on the Gateway.
func (s take) play(t *testing.T) (created, patched time.Time) {
	t.Helper()
	host := s.name + ".example.com"
	created = time.Now()
	_, err := s.n.Certificates.Create(t.Context(), certificate(s.name, s.name, host), metav1.CreateOptions{})
	namespace.Must(t, err)
	return created, s.gateways.wait(t, host)
}
