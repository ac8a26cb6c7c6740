package cluster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// live is a namespace of a test's own on the real API server, with what is
// tested and, beside it, what a user would do.
type live struct {
	*cluster.Cluster
	t            *testing.T
	namespace    string
	certificates *certmanagerclient.CertmanagerV1Client
	gateways     gatewayclient.GatewayInterface
}

func newLive(t *testing.T) *live {
	t.Helper()
	config := plane.Config()
	tested, err := cluster.New(config, noop.NewTracerProvider())
	must(t, err)
	certificates, err := certmanagerclient.NewForConfig(config)
	must(t, err)
	gateways, err := gatewayclient.NewForConfig(config)
	must(t, err)
	l := &live{Cluster: tested, t: t, certificates: certificates}
	l.namespace = l.newNamespace()
	l.gateways = gateways.Gateways(l.namespace)
	return l
}

func (l *live) newNamespace() string {
	l.t.Helper()
	core, err := kubernetes.NewForConfig(plane.Config())
	must(l.t, err)
	namespace, err := core.CoreV1().Namespaces().Create(l.t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "cluster-"}}, metav1.CreateOptions{})
	must(l.t, err)
	return namespace.Name
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (l *live) edge() types.NamespacedName {
	return types.NamespacedName{Namespace: l.namespace, Name: "edge"}
}

// createGateway makes the Gateway edge with one user-owned listener, changed by
// mutate if it is not nil, and returns it as the API server has it.
func (l *live) createGateway(mutate func(*gatewayv1.Gateway)) *gatewayv1.Gateway {
	l.t.Helper()
	gateway := &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Name: "edge", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"a": "b"}},
		Spec: gatewayv1.GatewaySpec{
			GatewayClassName: "example",
			Listeners:        []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}},
		},
	}
	if mutate != nil {
		mutate(gateway)
	}
	created, err := l.gateways.Create(l.t.Context(), gateway, metav1.CreateOptions{})
	must(l.t, err)
	return created
}

func (l *live) createCertificate(namespace, name string, labels map[string]string, dnsNames ...string) *certmanagerv1.Certificate {
	l.t.Helper()
	created, err := l.certificates.Certificates(namespace).Create(l.t.Context(), &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       certmanagerv1.CertificateSpec{SecretName: name + "-tls", DNSNames: dnsNames, IssuerRef: cmmeta.IssuerReference{Name: "ca"}},
	}, metav1.CreateOptions{})
	must(l.t, err)
	return created
}

// planFor plans for the Gateway with one Certificate of these DNS names.
func planFor(gateway *gatewayv1.Gateway, dnsNames ...string) plan.Plan {
	return plan.For(gateway, []certmanagerv1.Certificate{{
		ObjectMeta: metav1.ObjectMeta{Namespace: gateway.Namespace, Name: "app"},
		Spec:       certmanagerv1.CertificateSpec{SecretName: "app-tls", DNSNames: dnsNames},
	}})
}

func TestTheCertificatesOfAGatewayAreThoseWhoseLabelsNameIt(t *testing.T) {
	l := newLive(t)
	elsewhere := l.newNamespace()
	label := func(name, namespace string) map[string]string {
		return map[string]string{plan.GatewayNameKey: name, plan.GatewayNamespaceKey: namespace}
	}
	l.createCertificate(l.namespace, "absent", map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
	l.createCertificate(l.namespace, "empty", label("edge", ""), "a.example.com")
	l.createCertificate(l.namespace, "explicit", label("edge", l.namespace), "a.example.com")
	l.createCertificate(elsewhere, "tenant", label("edge", l.namespace), "a.example.com")
	l.createCertificate(l.namespace, "other-gateway", label("other", l.namespace), "a.example.com")
	l.createCertificate(l.namespace, "other-namespace", label("edge", elsewhere), "a.example.com")
	l.createCertificate(elsewhere, "its-own", map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
	l.createCertificate(l.namespace, "unlabelled", nil, "a.example.com")

	found, err := l.CertificatesOf(t.Context(), l.edge(), "")
	must(t, err)
	var got []string
	for _, c := range found {
		got = append(got, c.Name)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"absent", "empty", "explicit", "tenant"}, got); diff != "" {
		t.Errorf("Certificates (-want +got):\n%s", diff)
	}
}

func TestALongGatewayNameIsFoundByItsLabelAndAnnotation(t *testing.T) {
	l := newLive(t)
	long := strings.Repeat("g", 100)
	c := l.createCertificate(l.namespace, "app", map[string]string{plan.GatewayNameKey: plan.GatewayNameLabel(long)}, "a.example.com")
	c.Annotations = map[string]string{plan.GatewayNameKey: long}
	_, err := l.certificates.Certificates(l.namespace).Update(t.Context(), c, metav1.UpdateOptions{})
	must(t, err)
	found, err := l.CertificatesOf(t.Context(), types.NamespacedName{Namespace: l.namespace, Name: long}, "")
	must(t, err)
	if len(found) != 1 {
		t.Errorf("%d Certificates, want 1", len(found))
	}
}

func TestAListSeesAtLeastTheVersionThatItIsGiven(t *testing.T) {
	l := newLive(t)
	for i := range 20 {
		c := l.createCertificate(l.namespace, fmt.Sprintf("c%d", i), map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
		found, err := l.CertificatesOf(t.Context(), l.edge(), c.ResourceVersion)
		must(t, err)
		if len(found) != i+1 {
			t.Fatalf("%d Certificates right after the creation of number %d", len(found), i+1)
		}
	}
}

func TestAVersionThatTheServerHasNotReachedOrCannotReadIsNoObstacle(t *testing.T) {
	l := newLive(t)
	l.createCertificate(l.namespace, "app", map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
	for _, version := range []string{"999999999", "not-a-version"} {
		found, err := l.CertificatesOf(t.Context(), l.edge(), version)
		if err != nil || len(found) != 1 {
			t.Errorf("CertificatesOf(edge, %q) = %d Certificates, %v; want 1", version, len(found), err)
		}
	}
}

func TestAMissingGatewayIsNotFound(t *testing.T) {
	if _, err := newLive(t).Gateway(t.Context(), types.NamespacedName{Namespace: "default", Name: "none"}); !apierrors.IsNotFound(err) {
		t.Errorf("Gateway = %v, want NotFound", err)
	}
}

func TestAWrittenPlanIsReadBackAsItWasAndAsksForNothingMore(t *testing.T) {
	for name, mutate := range map[string]func(*gatewayv1.Gateway){
		"with labels and annotations":    nil,
		"without labels and annotations": func(g *gatewayv1.Gateway) { g.Labels, g.Annotations = nil, nil },
		"without labels":                 func(g *gatewayv1.Gateway) { g.Labels = nil },
		"without annotations":            func(g *gatewayv1.Gateway) { g.Annotations = nil },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLive(t)
			gateway := l.createGateway(mutate)
			p := planFor(gateway, "a.example.com", "*.b.example.com")
			written, err := l.Write(t.Context(), gateway, p)
			must(t, err)
			if diff := cmp.Diff(p.Listeners[1:], written.Spec.Listeners[1:]); diff != "" {
				t.Errorf("our listeners (-planned +read back):\n%s", diff)
			}
			if again := planFor(written, "a.example.com", "*.b.example.com"); !again.Unchanged() {
				t.Errorf("the plan for what was read back is %+v, want nothing", again)
			}
			managed, err := l.ManagedGateways(t.Context())
			must(t, err)
			if !slices.ContainsFunc(managed, func(g gatewayv1.Gateway) bool { return g.Namespace == l.namespace }) {
				t.Error("the Gateway is not among the managed ones")
			}
		})
	}
}

func TestEachStepOfAPlanIsWritten(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	for _, dnsNames := range [][]string{
		{"a.example.com", "b.example.com", "c.example.com", "d.example.com"},
		{"b.example.com", "d.example.com", "e.example.com"},
		{"e.example.com"},
		{"a.example.com", "e.example.com"},
		nil,
	} {
		p := planFor(gateway, dnsNames...)
		written, err := l.Write(t.Context(), gateway, p)
		must(t, err)
		if diff := cmp.Diff(hostnames(p.Listeners), hostnames(written.Spec.Listeners)); diff != "" {
			t.Errorf("to %v: hostnames (-planned +written):\n%s", dnsNames, diff)
		}
		if written.Annotations[plan.LedgerKey] != p.Ledger.String() {
			t.Errorf("to %v: ledger = %s, want %s", dnsNames, written.Annotations[plan.LedgerKey], p.Ledger)
		}
		gateway = written
	}
	if want := map[string]string{"a": "b"}; !cmp.Equal(gateway.Labels, want) || !cmp.Equal(gateway.Annotations, want) {
		t.Errorf("at the end labels = %v and annotations = %v, want both as at the beginning", gateway.Labels, gateway.Annotations)
	}
}

func hostnames(listeners []gatewayv1.Listener) []string {
	var all []string
	for _, l := range listeners {
		if l.Hostname != nil {
			all = append(all, string(*l.Hostname))
		}
	}
	return all
}

// Each row is something that happens between our read and our patch.
func TestWhatHappensBetweenReadAndPatchIsNotOverwritten(t *testing.T) {
	patch := func(kind types.PatchType, body string, subresources ...string) func(*live) {
		return func(l *live) {
			_, err := l.gateways.Patch(l.t.Context(), "edge", kind, []byte(body), metav1.PatchOptions{}, subresources...)
			must(l.t, err)
		}
	}
	addListener := patch(types.JSONPatchType, `[{"op":"add","path":"/spec/listeners/-","value":{"name":"theirs","port":81,"protocol":"HTTP"}}]`)
	bare := func(g *gatewayv1.Gateway) { g.Labels, g.Annotations = nil, nil }
	for _, tc := range []struct {
		name      string
		before    func(*gatewayv1.Gateway)
		meanwhile func(*live)
		outdated  bool
	}{
		{"nothing", nil, func(*live) {}, false},
		{"a listener of theirs", nil, addListener, true},
		{"a listener of theirs on a Gateway without labels", bare, addListener, true},
		{"their annotation", nil, patch(types.MergePatchType, `{"metadata":{"annotations":{"c":"d"}}}`), false},
		{"their first annotation", bare, patch(types.MergePatchType, `{"metadata":{"annotations":{"c":"d"}}}`), true},
		{"their first label", bare, patch(types.MergePatchType, `{"metadata":{"labels":{"c":"d"}}}`), true},
		{"a status", nil, patch(types.MergePatchType, `{"status":{"addresses":[{"type":"IPAddress","value":"192.0.2.1"}]}}`, "status"), false},
		{"another Gateway under the same name", nil, func(l *live) {
			must(l.t, l.gateways.Delete(l.t.Context(), "edge", metav1.DeleteOptions{}))
			l.createGateway(nil)
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLive(t)
			gateway := l.createGateway(tc.before)
			tc.meanwhile(l)
			before, err := l.Gateway(t.Context(), l.edge())
			must(t, err)
			_, err = l.Write(t.Context(), gateway, planFor(gateway, "a.example.com"))
			if got := errors.Is(err, cluster.ErrOutdated); got != tc.outdated || err != nil && !got {
				t.Fatalf("Write = %v, want outdated: %v", err, tc.outdated)
			}
			after, err := l.Gateway(t.Context(), l.edge())
			must(t, err)
			if tc.outdated && after.ResourceVersion != before.ResourceVersion {
				t.Error("the Gateway was written all the same")
			}
			for key, value := range before.Annotations {
				if after.Annotations[key] != value {
					t.Errorf("their annotation %s = %q is lost", key, value)
				}
			}
		})
	}
}

func TestALedgerThatSomeoneElseWroteMeanwhileIsNotOverwritten(t *testing.T) {
	l := newLive(t)
	first := l.createGateway(nil)
	gateway, err := l.Write(t.Context(), first, planFor(first, "a.example.com"))
	must(t, err)
	_, err = l.gateways.Patch(t.Context(), "edge", types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"{}"}}}`, plan.LedgerKey), metav1.PatchOptions{})
	must(t, err)
	if _, err := l.Write(t.Context(), gateway, planFor(gateway, "b.example.com")); !errors.Is(err, cluster.ErrOutdated) {
		t.Errorf("Write = %v, want outdated", err)
	}
}

func TestAnObjectThatTheServerWillNotHaveIsRefused(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com")
	p.Listeners[1].Hostname = new(gatewayv1.Hostname("not a hostname"))
	_, err := l.Write(t.Context(), gateway, p)
	if !errors.Is(err, cluster.ErrRefused) {
		t.Fatalf("Write = %v, want refused", err)
	}
	if !strings.Contains(err.Error(), "spec.listeners[1].hostname") {
		t.Errorf("the error %q does not name the field", err)
	}
}

func TestBytesOfUserOwnedListenersStayAsTheyWere(t *testing.T) {
	l := newLive(t)
	l.createGateway(func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = append(g.Spec.Listeners, gatewayv1.Listener{
			Name: "auto-theirs", Port: 8443, Protocol: gatewayv1.TLSProtocolType, Hostname: new(gatewayv1.Hostname("x.example.com")),
			TLS: &gatewayv1.ListenerTLSConfig{
				Mode:    new(gatewayv1.TLSModePassthrough),
				Options: map[gatewayv1.AnnotationKey]gatewayv1.AnnotationValue{"example.com/a": "b"},
			},
		})
	})
	before := l.rawListeners()
	gateway, err := l.Gateway(t.Context(), l.edge())
	must(t, err)
	_, err = l.Write(t.Context(), gateway, planFor(gateway, "a.example.com"))
	must(t, err)
	after := l.rawListeners()
	if diff := cmp.Diff(before, after[:2]); diff != "" || len(after) != 3 {
		t.Errorf("user-owned listeners (-before +after):\n%s", diff)
	}
}

func (l *live) rawListeners() []string {
	l.t.Helper()
	client, err := gatewayclient.NewForConfig(plane.Config())
	must(l.t, err)
	raw, err := client.RESTClient().Get().Namespace(l.namespace).Resource("gateways").Name("edge").DoRaw(l.t.Context())
	must(l.t, err)
	var object struct {
		Spec struct{ Listeners []json.RawMessage }
	}
	must(l.t, json.Unmarshal(raw, &object))
	var texts []string
	for _, listener := range object.Spec.Listeners {
		texts = append(texts, string(listener))
	}
	return texts
}
