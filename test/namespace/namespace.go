// Package namespace gives a test a namespace of its own on a real API server,
// and what a user would do there: make Gateways and Certificates, and look at
// them.
package namespace

import (
	"encoding/json"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// UserOwned is the name of the listener that a Gateway is made with.
const UserOwned gatewayv1.SectionName = "http"

// Namespace is a namespace and its user. What fails ends the test.
type Namespace struct {
	Name         string
	Certificates certmanagerclient.CertificateInterface
	Gateways     gatewayclient.GatewayInterface

	tb  testing.TB
	raw rest.Interface
}

// New makes a namespace. It stays until its API server goes.
func New(tb testing.TB, config *rest.Config) *Namespace {
	tb.Helper()
	core, err := kubernetes.NewForConfig(config)
	Must(tb, err)
	made, err := core.CoreV1().Namespaces().Create(tb.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	Must(tb, err)
	return Existing(tb, config, made.Name)
}

// Existing is a namespace that somebody has made.
func Existing(tb testing.TB, config *rest.Config, name string) *Namespace {
	tb.Helper()
	certificates, err := certmanagerclient.NewForConfig(config)
	Must(tb, err)
	gateways, err := gatewayclient.NewForConfig(config)
	Must(tb, err)
	return &Namespace{
		Name:         name,
		Certificates: certificates.Certificates(name),
		Gateways:     gateways.Gateways(name),
		tb:           tb,
		raw:          gateways.RESTClient(),
	}
}

// Must ends the test if there is an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// CreateGateway makes a Gateway with the listener [UserOwned], on which a field
// is set that the handler never writes, and with a label and an annotation;
// mutate, if it is not nil, changes it before. It is returned as the API server
// has it.
func (n *Namespace) CreateGateway(name string, mutate func(*gatewayv1.Gateway)) *gatewayv1.Gateway {
	n.tb.Helper()
	gateway := &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"},
		},
		Spec: gatewayv1.GatewaySpec{
			GatewayClassName: "example",
			Listeners: []gatewayv1.Listener{{
				Name: UserOwned, Port: 80, Protocol: gatewayv1.HTTPProtocolType,
				AllowedRoutes: &gatewayv1.AllowedRoutes{Kinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}},
			}},
		},
	}
	if mutate != nil {
		mutate(gateway)
	}
	created, err := n.Gateways.Create(n.tb.Context(), gateway, metav1.CreateOptions{})
	Must(n.tb, err)
	return created
}

// CreateCertificate makes a Certificate for a Gateway beside it, with the Secret
// NAME-tls. It is returned as the API server has it.
func (n *Namespace) CreateCertificate(name, gateway string, dnsNames ...string) *certmanagerv1.Certificate {
	n.tb.Helper()
	return n.CreateLabelled(name, map[string]string{plan.GatewayNameKey: gateway}, dnsNames...)
}

// CreateLabelled makes a Certificate with these labels.
func (n *Namespace) CreateLabelled(name string, labels map[string]string, dnsNames ...string) *certmanagerv1.Certificate {
	n.tb.Helper()
	created, err := n.Certificates.Create(n.tb.Context(), &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: certmanagerv1.CertificateSpec{
			SecretName: name + "-tls", DNSNames: dnsNames, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
		},
	}, metav1.CreateOptions{})
	Must(n.tb, err)
	return created
}

// Gateway reads a Gateway.
func (n *Namespace) Gateway(name string) *gatewayv1.Gateway {
	n.tb.Helper()
	gateway, err := n.Gateways.Get(n.tb.Context(), name, metav1.GetOptions{})
	Must(n.tb, err)
	return gateway
}

// RawListeners returns a Gateway's listeners, byte for byte as the API server
// sends them, by their names.
func (n *Namespace) RawListeners(gateway string) map[gatewayv1.SectionName]string {
	n.tb.Helper()
	body, err := n.raw.Get().Namespace(n.Name).Resource("gateways").Name(gateway).DoRaw(n.tb.Context())
	Must(n.tb, err)
	var object struct {
		Spec struct{ Listeners []json.RawMessage }
	}
	Must(n.tb, json.Unmarshal(body, &object))
	raw := map[gatewayv1.SectionName]string{}
	for _, listener := range object.Spec.Listeners {
		var named struct{ Name gatewayv1.SectionName }
		Must(n.tb, json.Unmarshal(listener, &named))
		raw[named.Name] = string(listener)
	}
	return raw
}
