package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const (
	edge = "edge" // the Gateway
	app  = "app"  // the Certificate
	// appListener is what they make together.
	appListener = "auto-app-app-example-com app.example.com:443 app-tls"
)

// scene is a namespace of a test's own, what is tested there, and its users. A
// test that has one runs in parallel with others.
type scene struct {
	*namespace.Namespace
	t          *testing.T
	core       kubernetes.Interface
	gatewayAPI *gatewayclient.GatewayV1Client
	cluster    *observed
	reconciler *reconcile.Reconciler
	// userOwned are edge's user-owned listeners, byte for byte as their owner has
	// left them. Every run is held to them.
	userOwned map[gatewayv1.SectionName]string
}

// newScene is the base of all rows: Gateway edge with one user-owned listener,
// and Certificate app, which nobody has told us of yet.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := newEmptyScene(t)
	s.createEdge(nil)
	s.CreateCertificate(app, edge, "app.example.com")
	return s
}

// newServedScene is the base after the Certificate's add.
func newServedScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t)
	s.told(reconcile.Add, s.certificate(app))
	s.expect(appListener)
	return s
}

// newEmptyScene has neither Gateway nor Certificate.
func newEmptyScene(t *testing.T) *scene {
	t.Helper()
	t.Parallel()
	s := &scene{Namespace: namespace.New(t, plane.Config()), t: t, userOwned: map[gatewayv1.SectionName]string{}}
	var err error
	s.core, err = kubernetes.NewForConfig(plane.Config())
	must(t, err)
	s.gatewayAPI, err = gatewayclient.NewForConfig(plane.Config())
	must(t, err)
	s.cluster, s.reconciler = newReplica(t)
	return s
}

// newReplica is one process of the handler, as far as it reconciles.
func newReplica(t *testing.T) (*observed, *reconcile.Reconciler) {
	t.Helper()
	real, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	must(t, err)
	o := &observed{Cluster: real}
	return o, reconcile.New(reconcile.Options{Cluster: o, Tracing: noop.NewTracerProvider()})
}

func must(t *testing.T, err error) {
	t.Helper()
	namespace.Must(t, err)
}

// createEdge makes the Gateway. Its listeners are user-owned, but for those that
// other programs are named for.
func (s *scene) createEdge(mutate func(*gatewayv1.Gateway)) {
	s.t.Helper()
	s.CreateGateway(edge, mutate)
	s.userOwned = s.RawListeners(edge)
}

func (s *scene) certificate(name string) *certmanagerv1.Certificate {
	s.t.Helper()
	c, err := s.Certificates.Get(s.t.Context(), name, metav1.GetOptions{})
	must(s.t, err)
	return c
}

// updateCertificate is its owner's change; nobody is told of it.
func (s *scene) updateCertificate(name string, mutate func(*certmanagerv1.Certificate)) *certmanagerv1.Certificate {
	s.t.Helper()
	c := s.certificate(name)
	mutate(c)
	updated, err := s.Certificates.Update(s.t.Context(), c, metav1.UpdateOptions{})
	must(s.t, err)
	return updated
}

// change is updateCertificate and its event.
func (s *scene) change(name string, mutate func(*certmanagerv1.Certificate)) reconcile.Outcome {
	s.t.Helper()
	return s.told(reconcile.Update, s.updateCertificate(name, mutate))
}

// ask changes the Certificate's DNS names, and its event comes.
func (s *scene) ask(name string, dnsNames ...string) reconcile.Outcome {
	s.t.Helper()
	return s.change(name, func(c *certmanagerv1.Certificate) { c.Spec.DNSNames = dnsNames })
}

// add creates a Certificate for edge, and its event comes.
func (s *scene) add(name string, dnsNames ...string) reconcile.Outcome {
	s.t.Helper()
	return s.told(reconcile.Add, s.CreateCertificate(name, edge, dnsNames...))
}

// remove deletes a Certificate, and its event comes.
func (s *scene) remove(name string) reconcile.Outcome {
	s.t.Helper()
	return s.told(reconcile.Delete, s.deleteCertificate(name))
}

// deleteCertificate returns the Certificate as an event of its deletion has it:
// with the resourceVersion of the deletion, which only a watch gives.
func (s *scene) deleteCertificate(name string) *certmanagerv1.Certificate {
	s.t.Helper()
	w, err := s.Certificates.Watch(s.t.Context(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + name, ResourceVersion: s.certificate(name).ResourceVersion, TimeoutSeconds: new(int64(60)),
	})
	must(s.t, err)
	defer w.Stop()
	must(s.t, s.Certificates.Delete(s.t.Context(), name, metav1.DeleteOptions{}))
	for event := range w.ResultChan() {
		if c, ok := event.Object.(*certmanagerv1.Certificate); ok && event.Type == watch.Deleted {
			return c
		}
	}
	s.t.Fatalf("Certificate %s was deleted and no watch event says so", name)
	return nil
}

// updateGateway is its owner's change, nobody is told of it. Listeners that are
// new after it are user-owned.
func (s *scene) updateGateway(mutate func(*gatewayv1.Gateway)) {
	s.t.Helper()
	s.updateGatewayAs("", mutate)
}

// updateGatewayAs names the field manager.
func (s *scene) updateGatewayAs(manager string, mutate func(*gatewayv1.Gateway)) {
	s.t.Helper()
	gateway := s.Gateway(edge)
	before := map[gatewayv1.SectionName]bool{}
	for _, l := range gateway.Spec.Listeners {
		before[l.Name] = true
	}
	mutate(gateway)
	_, err := s.Gateways.Update(s.t.Context(), gateway, metav1.UpdateOptions{FieldManager: manager})
	must(s.t, err)
	raw := s.RawListeners(edge)
	maps.DeleteFunc(raw, func(name gatewayv1.SectionName, _ string) bool {
		_, theirs := s.userOwned[name]
		return before[name] && !theirs
	})
	s.userOwned = raw
}

func addListener(l gatewayv1.Listener) func(*gatewayv1.Gateway) {
	return func(g *gatewayv1.Gateway) { g.Spec.Listeners = append(g.Spec.Listeners, l) }
}

func removeListener(name gatewayv1.SectionName) func(*gatewayv1.Gateway) {
	return func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = slices.DeleteFunc(g.Spec.Listeners, func(l gatewayv1.Listener) bool { return l.Name == name })
	}
}

func annotate(key, value string) func(*gatewayv1.Gateway) {
	return func(g *gatewayv1.Gateway) { g.Annotations[key] = value }
}

func httpListener(name gatewayv1.SectionName, port gatewayv1.PortNumber) gatewayv1.Listener {
	return gatewayv1.Listener{Name: name, Port: port, Protocol: gatewayv1.HTTPProtocolType}
}

// tlsListener is somebody's for a hostname on port 443.
func tlsListener(name gatewayv1.SectionName, protocol gatewayv1.ProtocolType, hostname gatewayv1.Hostname) gatewayv1.Listener {
	return gatewayv1.Listener{
		Name: name, Port: 443, Protocol: protocol, Hostname: new(hostname),
		TLS: &gatewayv1.ListenerTLSConfig{CertificateRefs: []gatewayv1.SecretObjectReference{{Name: "theirs-tls"}}},
	}
}

// told is a Certificate's event: the run for edge, which must end well and leave
// user-owned listeners as they are.
func (s *scene) told(operation reconcile.Operation, c *certmanagerv1.Certificate) reconcile.Outcome {
	s.t.Helper()
	return s.handle(reconcile.Change{
		Kind: reconcile.Certificate, Operation: operation,
		Object: &metav1.PartialObjectMetadata{ObjectMeta: c.ObjectMeta},
	})
}

// look is a run for edge, whatever earlier ones have seen: the event tells no
// more than the Gateway's name.
func (s *scene) look() reconcile.Outcome {
	s.t.Helper()
	return s.handle(reconcile.Change{
		Kind: reconcile.Gateway, Operation: reconcile.Update,
		Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: s.Name, Name: edge}},
	})
}

func (s *scene) gatewayChange(operation reconcile.Operation) reconcile.Change {
	s.t.Helper()
	gateway := s.Gateway(edge)
	status, err := json.Marshal(gateway.Status)
	must(s.t, err)
	return reconcile.Change{
		Kind: reconcile.Gateway, Operation: operation,
		Object: &metav1.PartialObjectMetadata{ObjectMeta: gateway.ObjectMeta}, Status: status,
	}
}

func (s *scene) handle(change reconcile.Change) reconcile.Outcome {
	s.t.Helper()
	outcomes, err := s.reconciler.Handle(s.t.Context(), change)
	must(s.t, err)
	if len(outcomes) != 1 || outcomes[0].Gateway.Namespace != s.Name {
		s.t.Fatalf("runs for %+v, want one", outcomes)
	}
	must(s.t, outcomes[0].Err)
	must(s.t, outcomes[0].ReportErr)
	if outcomes[0].Verdict != reconcile.GatewayMissing {
		s.checkUserOwned()
	}
	return outcomes[0]
}

func (s *scene) checkUserOwned() {
	s.t.Helper()
	now := s.RawListeners(edge)
	for name, bytes := range s.userOwned {
		if now[name] != bytes {
			s.t.Errorf("user-owned listener %s was\n%s\nand is\n%s", name, bytes, now[name])
		}
	}
}

// expect holds edge to these listeners of ours, in this order, each given as
// "name hostname:port secret", holds its ledger and label to them, and looks
// again: there must be nothing left to do.
func (s *scene) expect(want ...string) {
	s.t.Helper()
	gateway := s.Gateway(edge)
	var ours []string
	recorded := map[gatewayv1.SectionName]bool{}
	for _, l := range gateway.Spec.Listeners {
		if _, theirs := s.userOwned[l.Name]; !theirs {
			ours = append(ours, shortly(l))
			recorded[l.Name] = true
		}
	}
	if diff := cmp.Diff(want, ours); diff != "" {
		s.t.Fatalf("our listeners (-want +got):\n%s", diff)
	}
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	must(s.t, err)
	for name, entry := range ledger {
		if entry.Refused == "" && !recorded[name] {
			s.t.Errorf("the ledger names %s, which is not on the Gateway", name)
		}
		delete(recorded, name)
	}
	if len(recorded) > 0 {
		s.t.Errorf("the ledger does not name %v", slices.Sorted(maps.Keys(recorded)))
	}
	if managed := gateway.Labels[plan.ManagedKey] == plan.ManagedValue; managed != (len(ledger) > 0) {
		s.t.Errorf("with ledger %v the Gateway is labelled managed: %v", ledger, managed)
	}
	s.unwritten(s.look)
}

// shortly is "name hostname:port secret", the secret with its namespace if the
// listener gives one.
func shortly(l gatewayv1.Listener) string {
	var hostname gatewayv1.Hostname
	if l.Hostname != nil {
		hostname = *l.Hostname
	}
	text := fmt.Sprintf("%s %s:%d", l.Name, hostname, l.Port)
	if l.TLS == nil {
		return text
	}
	for _, ref := range l.TLS.CertificateRefs {
		secret := string(ref.Name)
		if ref.Namespace != nil {
			secret = string(*ref.Namespace) + "/" + secret
		}
		text += " " + secret
	}
	return text
}

// unwritten wants a run that leaves the Gateway alone.
func (s *scene) unwritten(run func() reconcile.Outcome) reconcile.Outcome {
	s.t.Helper()
	before, writes, tries := s.Gateway(edge).ResourceVersion, s.cluster.writes.Load(), s.cluster.tries.Load()
	o := run()
	if writes, tries := s.cluster.writes.Load()-writes, s.cluster.tries.Load()-tries; writes+tries > 0 {
		s.t.Errorf("%d writes and %d dry runs, want none; changes: %+v", writes, tries, o.Plan.Changes)
	}
	if after := s.Gateway(edge).ResourceVersion; after != before || o.ResourceVersion != before {
		s.t.Errorf("resourceVersion was %s, is %s, and is reported as %s", before, after, o.ResourceVersion)
	}
	return o
}

// writtenOnce wants a run that changes the Gateway's spec by one request.
func (s *scene) writtenOnce(run func() reconcile.Outcome) reconcile.Outcome {
	s.t.Helper()
	before, writes := s.Gateway(edge).Generation, s.cluster.writes.Load()
	o := run()
	if writes := s.cluster.writes.Load() - writes; writes != 1 || o.Verdict != reconcile.Patched {
		s.t.Errorf("verdict %s after %d writes, want Patched after 1", o.Verdict, writes)
	}
	if after := s.Gateway(edge).Generation; after != before+1 {
		s.t.Errorf("generation was %d and is %d, want it one higher", before, after)
	}
	return o
}

// expectFindings holds a run to what it has to tell, each given as "Reason
// certificate hostname", in any order.
func expectFindings(t *testing.T, o reconcile.Outcome, want ...string) {
	t.Helper()
	got := []string{}
	for _, f := range o.Findings() {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Reason, f.Certificate.Name, f.Hostname)))
	}
	for i := range got {
		got[i] = strings.Join(strings.Fields(got[i]), " ")
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
