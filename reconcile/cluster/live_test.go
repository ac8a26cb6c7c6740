package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// live is what is tested, on the real API server, and beside it a user.
type live struct {
	*cluster.Cluster
	user *namespace.Namespace
}

func newLive(t *testing.T) *live {
	t.Helper()
	tested, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	return &live{tested, namespace.New(t, plane.Config())}
}

func (l *live) edge() types.NamespacedName {
	return types.NamespacedName{Namespace: l.user.Name, Name: "edge"}
}

// query asks for edge's Certificates, those of every namespace whole.
func (l *live) query(notOlderThan string) cluster.CertificateQuery {
	return cluster.CertificateQuery{Gateway: l.edge(), NotOlderThan: notOlderThan, Admit: all}
}

func all(_ context.Context, namespaces []string) ([]string, error) { return namespaces, nil }

func (l *live) createGateway(mutate func(*gatewayv1.Gateway)) *gatewayv1.Gateway {
	return l.user.CreateGateway("edge", mutate)
}

// planFor plans for the Gateway with one Certificate of these DNS names.
func planFor(gateway *gatewayv1.Gateway, dnsNames ...string) plan.Plan {
	return plan.For(plan.Input{Gateway: gateway, Certificates: []certmanagerv1.Certificate{{
		ObjectMeta: metav1.ObjectMeta{Namespace: gateway.Namespace, Name: "app"},
		Spec:       certmanagerv1.CertificateSpec{SecretName: "app-tls", DNSNames: dnsNames},
	}}})
}

func TestTheCertificatesOfAGatewayAreThoseWhoseLabelsNameIt(t *testing.T) {
	l := newLive(t)
	elsewhere := namespace.New(t, plane.Config())
	label := func(gateway, in string) map[string]string {
		return map[string]string{plan.GatewayNameKey: gateway, plan.GatewayNamespaceKey: in}
	}
	l.user.CreateLabelled("absent", map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
	l.user.CreateLabelled("empty", label("edge", ""), "a.example.com")
	l.user.CreateLabelled("explicit", label("edge", l.user.Name), "a.example.com")
	elsewhere.CreateLabelled("tenant", label("edge", l.user.Name), "a.example.com")
	l.user.CreateLabelled("other-gateway", label("other", l.user.Name), "a.example.com")
	l.user.CreateLabelled("other-namespace", label("edge", elsewhere.Name), "a.example.com")
	elsewhere.CreateLabelled("its-own", map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
	l.user.CreateLabelled("unlabelled", nil, "a.example.com")

	found, err := l.CertificatesOf(t.Context(), l.query(""))
	namespace.Must(t, err)
	var got []string
	for _, c := range found.Items {
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
	c := l.user.CreateLabelled("app", map[string]string{plan.GatewayNameKey: plan.GatewayNameLabel(long)}, "a.example.com")
	c.Annotations = map[string]string{plan.GatewayNameKey: long}
	_, err := l.user.Certificates.Update(t.Context(), c, metav1.UpdateOptions{})
	namespace.Must(t, err)
	found, err := l.CertificatesOf(t.Context(), cluster.CertificateQuery{Gateway: types.NamespacedName{Namespace: l.user.Name, Name: long}, Admit: all})
	namespace.Must(t, err)
	if len(found.Items) != 1 {
		t.Errorf("%d Certificates, want 1", len(found.Items))
	}
}

func TestAListSeesAtLeastTheVersionThatItIsGiven(t *testing.T) {
	l := newLive(t)
	for i := range 20 {
		c := l.user.CreateLabelled(fmt.Sprintf("c%d", i), map[string]string{plan.GatewayNameKey: "edge"}, "a.example.com")
		found, err := l.CertificatesOf(t.Context(), l.query(c.ResourceVersion))
		namespace.Must(t, err)
		if len(found.Items) != i+1 {
			t.Fatalf("%d Certificates right after the creation of number %d", len(found.Items), i+1)
		}
	}
}

func TestAVersionThatTheServerHasNotReachedOrCannotReadIsNoObstacle(t *testing.T) {
	l := newLive(t)
	l.user.CreateCertificate("app", "edge", "a.example.com")
	for _, version := range []string{"999999999", "not-a-version"} {
		// Half of what a run has: the API server would keep us waiting for longer.
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		found, err := l.CertificatesOf(ctx, l.query(version))
		if err != nil || len(found.Items) != 1 {
			t.Errorf("CertificatesOf(edge, %q) = %d Certificates, %v; want 1", version, len(found.Items), err)
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
			namespace.Must(t, err)
			if diff := cmp.Diff(p.Listeners[1:], written.Spec.Listeners[1:]); diff != "" {
				t.Errorf("our listeners (-planned +read back):\n%s", diff)
			}
			if again := planFor(written, "a.example.com", "*.b.example.com"); !again.Unchanged() {
				t.Errorf("the plan for what was read back is %+v, want nothing", again)
			}
			managed, err := l.ManagedGateways(t.Context())
			namespace.Must(t, err)
			if !slices.ContainsFunc(managed, func(g gatewayv1.Gateway) bool { return g.Namespace == l.user.Name }) {
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
		namespace.Must(t, err)
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
			_, err := l.user.Gateways.Patch(t.Context(), "edge", kind, []byte(body), metav1.PatchOptions{}, subresources...)
			namespace.Must(t, err)
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
			namespace.Must(t, l.user.Gateways.Delete(t.Context(), "edge", metav1.DeleteOptions{}))
			l.createGateway(nil)
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLive(t)
			gateway := l.createGateway(tc.before)
			tc.meanwhile(l)
			before, err := l.Gateway(t.Context(), l.edge())
			namespace.Must(t, err)
			_, err = l.Write(t.Context(), gateway, planFor(gateway, "a.example.com"))
			if got := errors.Is(err, cluster.ErrOutdated); got != tc.outdated || err != nil && !got {
				t.Fatalf("Write = %v, want outdated: %v", err, tc.outdated)
			}
			after, err := l.Gateway(t.Context(), l.edge())
			namespace.Must(t, err)
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
	namespace.Must(t, err)
	_, err = l.user.Gateways.Patch(t.Context(), "edge", types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"{}"}}}`, plan.LedgerKey), metav1.PatchOptions{})
	namespace.Must(t, err)
	if _, err := l.Write(t.Context(), gateway, planFor(gateway, "b.example.com")); !errors.Is(err, cluster.ErrOutdated) {
		t.Errorf("Write = %v, want outdated", err)
	}
}

func TestBytesOfUserOwnedListenersStayAsTheyWere(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = append(g.Spec.Listeners, gatewayv1.Listener{
			Name: "auto-theirs", Port: 8443, Protocol: gatewayv1.TLSProtocolType, Hostname: new(gatewayv1.Hostname("x.example.com")),
			TLS: &gatewayv1.ListenerTLSConfig{
				Mode:    new(gatewayv1.TLSModePassthrough),
				Options: map[gatewayv1.AnnotationKey]gatewayv1.AnnotationValue{"example.com/a": "b"},
			},
		})
	})
	before := l.user.RawListeners("edge")
	_, err := l.Write(t.Context(), gateway, planFor(gateway, "a.example.com"))
	namespace.Must(t, err)
	after := l.user.RawListeners("edge")
	for name, bytes := range before {
		if after[name] != bytes {
			t.Errorf("listener %s was\n%s\nand is\n%s", name, bytes, after[name])
		}
	}
	if len(after) != len(before)+1 {
		t.Errorf("%d listeners, want one more than %d", len(after), len(before))
	}
}
