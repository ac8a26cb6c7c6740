package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const (
	// patience is how long a change may take to arrive; it takes well under a
	// second on a quiet machine.
	patience = 20 * time.Second
	pollEach = 20 * time.Millisecond
)

// place is a namespace of a test's own.
type place struct {
	t            *testing.T
	namespace    string
	certificates certmanagerclient.CertificateInterface
	gateways     gatewayclient.GatewayInterface
}

func newPlace(t *testing.T) *place {
	t.Helper()
	config := system.Config()
	core, err := kubernetes.NewForConfig(config)
	must(t, err)
	certificates, err := certmanagerclient.NewForConfig(config)
	must(t, err)
	gateways, err := gatewayclient.NewForConfig(config)
	must(t, err)
	namespace, err := core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}, metav1.CreateOptions{})
	must(t, err)
	return &place{
		t: t, namespace: namespace.Name,
		certificates: certificates.Certificates(namespace.Name), gateways: gateways.Gateways(namespace.Name),
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// createGateway makes a Gateway with a user-owned listener that sets a field
// which the handler never writes.
func (p *place) createGateway(name string) {
	p.t.Helper()
	_, err := p.gateways.Create(p.t.Context(), &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: gatewayv1.GatewaySpec{
			GatewayClassName: "example",
			Listeners: []gatewayv1.Listener{{
				Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType,
				AllowedRoutes: &gatewayv1.AllowedRoutes{Kinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}},
			}},
		},
	}, metav1.CreateOptions{})
	must(p.t, err)
}

func (p *place) createCertificate(name, gateway string, dnsNames ...string) {
	p.t.Helper()
	_, err := p.certificates.Create(p.t.Context(), &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{plan.GatewayNameKey: gateway}},
		Spec: certmanagerv1.CertificateSpec{
			SecretName: name + "-tls", DNSNames: dnsNames, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
		},
	}, metav1.CreateOptions{})
	must(p.t, err)
}

// patchCertificate applies a JSON merge patch.
func (p *place) patchCertificate(name, patch string) {
	p.t.Helper()
	_, err := p.certificates.Patch(p.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	must(p.t, err)
}

func (p *place) deleteCertificate(name string) {
	p.t.Helper()
	must(p.t, p.certificates.Delete(p.t.Context(), name, metav1.DeleteOptions{}))
}

func (p *place) gateway(name string) *gatewayv1.Gateway {
	p.t.Helper()
	gateway, err := p.gateways.Get(p.t.Context(), name, metav1.GetOptions{})
	must(p.t, err)
	return gateway
}

// userOwned is the bytes of the Gateway's listener http as the API server sends
// it, whatever our types know of it.
func (p *place) userOwned(name string) []byte {
	p.t.Helper()
	config := system.Config()
	client, err := gatewayclient.NewForConfig(config)
	must(p.t, err)
	raw, err := client.RESTClient().Get().Namespace(p.namespace).Resource("gateways").Name(name).DoRaw(p.t.Context())
	must(p.t, err)
	var object struct {
		Spec struct{ Listeners []json.RawMessage }
	}
	must(p.t, json.Unmarshal(raw, &object))
	for _, listener := range object.Spec.Listeners {
		if bytes.Contains(listener, []byte(`"name":"http"`)) {
			return listener
		}
	}
	p.t.Fatalf("Gateway %s has lost its user-owned listener: %s", name, raw)
	return nil
}

// expect waits until the Gateway's listeners other than http are exactly these,
// each given as "name hostname secret".
func (p *place) expect(gateway string, want ...string) {
	p.t.Helper()
	slices.Sort(want)
	var got []string
	err := wait.PollUntilContextTimeout(p.t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		got = listenersOf(p.gateway(gateway))
		return slices.Equal(got, want), nil
	})
	if err != nil {
		p.t.Fatalf("after %s Gateway %s has listeners\n  %s\nwant\n  %s", patience, gateway,
			strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	p.checkLedger(gateway)
}

// checkLedger holds the ledger and the label to what expect has found.
func (p *place) checkLedger(name string) {
	p.t.Helper()
	gateway := p.gateway(name)
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	must(p.t, err)
	var ours []string
	for _, l := range gateway.Spec.Listeners {
		if l.Name != "http" {
			ours = append(ours, string(l.Name))
		}
	}
	slices.Sort(ours)
	var recorded []string
	for _, listener := range slices.Sorted(maps.Keys(ledger)) {
		recorded = append(recorded, string(listener))
	}
	if !slices.Equal(ours, recorded) {
		p.t.Errorf("the ledger of Gateway %s names %v, but ours are %v", name, recorded, ours)
	}
	if managed := gateway.Labels[plan.ManagedKey] == plan.ManagedValue; managed != (len(ours) > 0) {
		p.t.Errorf("Gateway %s with %d listeners of ours is labelled managed: %v", name, len(ours), managed)
	}
}

func listenersOf(gateway *gatewayv1.Gateway) []string {
	var all []string
	for _, l := range gateway.Spec.Listeners {
		if l.Name == "http" {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s %s", l.Name, *l.Hostname, l.TLS.CertificateRefs[0].Name))
	}
	slices.Sort(all)
	return all
}
