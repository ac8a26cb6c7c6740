package handshake

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strconv"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/peers"
)

const (
	edge = "edge" // the Gateway

	// patience is how long something may take to be served; it takes about a second
	// on a quiet machine.
	patience = 2 * time.Minute
	pollEach = 20 * time.Millisecond
)

// scene is a namespace of a test's own with a Gateway that Traefik serves.
type scene struct {
	*namespace.Namespace
	t *testing.T
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := newTenant(t)
	s.createEdge(nil)
	return s
}

// newTenant is a namespace without a Gateway.
func newTenant(t *testing.T) *scene {
	t.Helper()
	needPeers(t)
	return &scene{namespace.New(t, system.Config()), t}
}

// createEdge makes the Gateway, whose own listener is served over HTTP and ours
// where Traefik speaks TLS.
func (s *scene) createEdge(annotations map[string]string) {
	s.t.Helper()
	port, err := strconv.ParseInt(system.peers.HTTPPort(), 10, 32)
	must(s.t, err)
	s.CreateGateway(edge, func(g *gatewayv1.Gateway) {
		g.Spec.GatewayClassName = peers.GatewayClass
		g.Spec.Listeners[0].Port = gatewayv1.PortNumber(port)
		g.Annotations[plan.ListenerPortKey] = system.peers.HTTPSPort()
		for key, value := range annotations {
			g.Annotations[key] = value
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	namespace.Must(t, err)
}

// host is a hostname that no other test has: Traefik serves all of them at one
// address.
func (s *scene) host(name string) string { return name + "." + s.Name + ".example.com" }

// certificate is one that the CA shall issue, for the Gateway of a namespace.
func (s *scene) certificate(name, gatewayNamespace string, dnsNames ...string) *certmanagerv1.Certificate {
	return &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Name, Name: name, Labels: map[string]string{
			plan.GatewayNameKey: edge, plan.GatewayNamespaceKey: gatewayNamespace,
		}},
		Spec: certmanagerv1.CertificateSpec{
			SecretName: name + "-tls", DNSNames: dnsNames,
			IssuerRef: cmmeta.IssuerReference{Kind: certmanagerv1.ClusterIssuerKind, Name: peers.Issuer},
		},
	}
}

func (s *scene) create(c *certmanagerv1.Certificate) {
	s.t.Helper()
	_, err := s.Certificates.Create(s.t.Context(), c, metav1.CreateOptions{})
	must(s.t, err)
}

// createRoute makes a route of the hostname at the Gateway of a namespace, which
// answers by a redirect to location. A redirect, because that is the one answer of
// the Gateway API's core that a gateway gives by itself: the EndpointSlices of
// backends may not hold addresses of loopback.
func (s *scene) createRoute(gatewayNamespace, hostname, location string) {
	s.t.Helper()
	client, err := gatewayclient.NewForConfig(system.Config())
	must(s.t, err)
	_, err = client.HTTPRoutes(s.Name).Create(s.t.Context(), &gatewayv1.HTTPRoute{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "route-"},
		Spec: gatewayv1.HTTPRouteSpec{
			CommonRouteSpec: gatewayv1.CommonRouteSpec{ParentRefs: []gatewayv1.ParentReference{
				{Name: edge, Namespace: new(gatewayv1.Namespace(gatewayNamespace))},
			}},
			Hostnames: []gatewayv1.Hostname{gatewayv1.Hostname(hostname)},
			Rules: []gatewayv1.HTTPRouteRule{{Filters: []gatewayv1.HTTPRouteFilter{{
				Type: gatewayv1.HTTPRouteFilterRequestRedirect,
				RequestRedirect: &gatewayv1.HTTPRequestRedirectFilter{
					Scheme:   new("https"),
					Hostname: new(gatewayv1.PreciseHostname(location)),
				},
			}}}},
		},
	}, metav1.CreateOptions{})
	must(s.t, err)
}

// follow creates a Certificate of the scene's own Gateway and returns when it is
// served.
func (s *scene) follow(c *certmanagerv1.Certificate) []Stage {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	stages, err := Journey{
		Config: system.Config(), Client: system.client, Trace: system.traces.Wait,
		Gateway: types.NamespacedName{Namespace: s.Name, Name: edge}, Certificate: c,
	}.Follow(ctx)
	must(s.t, err)
	return stages
}

// issued returns the certificate in a Secret.
func (s *scene) issued(secret string) *x509.Certificate {
	s.t.Helper()
	core, err := kubernetes.NewForConfig(system.Config())
	must(s.t, err)
	found, err := core.CoreV1().Secrets(s.Name).Get(s.t.Context(), secret, metav1.GetOptions{})
	must(s.t, err)
	block, _ := pem.Decode(found.Data["tls.crt"])
	if block == nil {
		s.t.Fatalf("Secret %s has no certificate in PEM", secret)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	must(s.t, err)
	return certificate
}

// eventually waits until check has no objection.
func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	var objection error
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(ctx context.Context) (bool, error) {
		objection = check(ctx)
		return objection == nil, nil
	})
	if err != nil {
		t.Fatalf("after %s: %v", patience, objection)
	}
}

// expectServed waits until a client that trusts the CA is served just this
// certificate for the hostname, and is led to location by its route.
func (s *scene) expectServed(hostname string, want *x509.Certificate, location string) {
	s.t.Helper()
	eventually(s.t, func(ctx context.Context) error {
		answer, err := system.client.Get(ctx, hostname)
		switch {
		case err != nil:
			return err
		case !bytes.Equal(answer.Certificate.Raw, want.Raw):
			return fmt.Errorf("%s is served serial number %d, want %d", hostname, answer.Certificate.SerialNumber, want.SerialNumber)
		case answer.Location != "https://"+location+"/":
			return fmt.Errorf("%s answers %d and leads to %q, want https://%s/", hostname, answer.Status, answer.Location, location)
		}
		return nil
	})
}
