package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const (
	// patience is how long a change may take to arrive, with a burst before it.
	patience = 60 * time.Second
	pollEach = 20 * time.Millisecond

	// legacy is the owner's second listener, which is named like one of ours.
	legacy gatewayv1.SectionName = "auto-legacy"
)

// site is a namespace of a test's own with Gateways in it.
type site struct {
	*namespace.Namespace
	t   testing.TB
	raw rest.Interface
	// owned is what each Gateway's owner has written, byte for byte.
	owned map[string]string
}

func newSite(t testing.TB, gateways int) *site {
	t.Helper()
	client, err := gatewayclient.NewForConfig(system.Config())
	must(t, err)
	s := &site{Namespace: namespace.New(t, system.Config()), t: t, raw: client.RESTClient(), owned: map[string]string{}}
	for i := range gateways {
		s.createGateway(gatewayName(i))
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	namespace.Must(t, err)
}

func gatewayName(i int) string { return fmt.Sprintf("edge-%d", i) }

func (s *site) createGateway(name string) {
	s.t.Helper()
	s.CreateGateway(name, func(gateway *gatewayv1.Gateway) {
		gateway.Spec.Listeners = append(gateway.Spec.Listeners, gatewayv1.Listener{
			Name: legacy, Port: 8080, Protocol: gatewayv1.HTTPProtocolType,
		})
	})
	s.owned[name] = ownedBy(s.t, s.rawGateway(name))
}

func (s *site) rawGateway(name string) []byte {
	s.t.Helper()
	body, err := s.raw.Get().Namespace(s.Name).Resource("gateways").Name(name).DoRaw(s.t.Context())
	must(s.t, err)
	return body
}

// ownedBy returns all of a Gateway that is its owner's to write: every byte of
// its listeners and of the rest of the spec, and labels and annotations.
func ownedBy(t testing.TB, gateway []byte) string {
	t.Helper()
	var object struct {
		Metadata struct {
			UID                 types.UID
			Labels, Annotations map[string]string
		}
		Spec map[string]json.RawMessage
	}
	must(t, json.Unmarshal(gateway, &object))
	var listeners []json.RawMessage
	must(t, json.Unmarshal(object.Spec["listeners"], &listeners))
	delete(object.Spec, "listeners")
	var text strings.Builder
	for _, listener := range listeners {
		var named struct{ Name gatewayv1.SectionName }
		must(t, json.Unmarshal(listener, &named))
		if isOwners(named.Name) {
			fmt.Fprintf(&text, "listener %s\n", listener)
		}
	}
	for _, values := range []map[string]string{object.Metadata.Labels, object.Metadata.Annotations} {
		maps.DeleteFunc(values, func(key, _ string) bool { return strings.HasPrefix(key, plan.KeyPrefix) })
	}
	rest, err := json.Marshal(object)
	must(t, err)
	text.Write(rest)
	return text.String()
}

func isOwners(name gatewayv1.SectionName) bool { return name == namespace.UserOwned || name == legacy }

// newCertificate is Certificate NAME for NAME.example.com.
func newCertificate(name, gateway string) *certmanagerv1.Certificate {
	return &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{plan.GatewayNameKey: gateway}},
		Spec: certmanagerv1.CertificateSpec{
			SecretName: name + "-tls", DNSNames: []string{name + ".example.com"}, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
		},
	}
}

const creators = 8

// createMany creates Certificates, spread over the Gateways, as fast as the API
// server takes them, and tries again where it does not. created, if it is not
// nil, is called after each.
func (s *site) createMany(count int, created func()) {
	s.t.Helper()
	numbers := make(chan int)
	var group sync.WaitGroup
	for range creators {
		group.Go(func() {
			for i := range numbers {
				if err := s.createWhateverItTakes(newCertificate(fmt.Sprintf("c%03d", i), gatewayName(i%len(s.owned)))); err != nil {
					s.t.Error(err)
				}
				if created != nil {
					created()
				}
			}
		})
	}
	for i := range count {
		numbers <- i
	}
	close(numbers)
	group.Wait()
}

func (s *site) createWhateverItTakes(certificate *certmanagerv1.Certificate) error {
	var last error
	err := wait.PollUntilContextTimeout(s.t.Context(), pollEach, patience, true, func(ctx context.Context) (bool, error) {
		// A request to a server that stands still is to be given up.
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, last = s.Certificates.Create(ctx, certificate, metav1.CreateOptions{})
		return last == nil || apierrors.IsAlreadyExists(last), nil
	})
	if err != nil {
		return fmt.Errorf("create Certificate %s: %w: %w", certificate.Name, err, last)
	}
	return nil
}

func (s *site) patchCertificate(name, patch string) {
	s.t.Helper()
	_, err := s.Certificates.Patch(s.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	must(s.t, err)
}

func (s *site) deleteCertificate(name string) {
	s.t.Helper()
	must(s.t, s.Certificates.Delete(s.t.Context(), name, metav1.DeleteOptions{}))
}

// checkExact holds every Gateway, as it is now, to the Certificates that there
// are now: by a rule of its own that knows nothing of plans, and by the planner.
func (s *site) checkExact() {
	s.t.Helper()
	// One that changes Certificates is not at work any more, so the order of the
	// reads does not matter.
	certificates, err := s.Certificates.List(s.t.Context(), metav1.ListOptions{})
	must(s.t, err)
	gateways, err := s.Gateways.List(s.t.Context(), metav1.ListOptions{})
	must(s.t, err)
	if len(gateways.Items) != len(s.owned) {
		s.t.Errorf("there are %d Gateways, want %d", len(gateways.Items), len(s.owned))
	}
	for i := range gateways.Items {
		s.checkGateway(&gateways.Items[i], certificates.Items)
	}
}

func (s *site) checkGateway(gateway *gatewayv1.Gateway, all []certmanagerv1.Certificate) {
	s.t.Helper()
	var certificates []certmanagerv1.Certificate
	want, wantLedger := map[string]string{}, map[string]string{}
	for i := range all {
		if target, ok := plan.Target(&all[i]); !ok || target.Name != gateway.Name {
			continue
		}
		certificates = append(certificates, all[i])
		for _, dnsName := range all[i].Spec.DNSNames {
			name := "auto-" + all[i].Name + "-" + strings.NewReplacer(".", "-", "*", "wildcard").Replace(dnsName)
			want[name] = dnsName + " " + all[i].Spec.SecretName
			wantLedger[name] = all[i].Namespace + "/" + all[i].Name
		}
	}
	got, gotLedger := map[string]string{}, map[string]string{}
	for _, l := range gateway.Spec.Listeners {
		if !isOwners(l.Name) {
			got[string(l.Name)] = string(*l.Hostname) + " " + string(l.TLS.CertificateRefs[0].Name)
		}
	}
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	must(s.t, err)
	for name, entry := range ledger {
		gotLedger[string(name)] = entry.Certificate.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("listeners of ours on Gateway %s (-asked for by living Certificates +there):\n%s", gateway.Name, diff)
	}
	if diff := cmp.Diff(wantLedger, gotLedger); diff != "" {
		s.t.Errorf("ledger of Gateway %s (-want +got):\n%s", gateway.Name, diff)
	}
	p := plan.For(plan.Input{
		Gateway: gateway, Certificates: certificates,
		Namespaces: map[string]metav1.ObjectMeta{s.Name: {Name: s.Name}},
	})
	if !p.Unchanged() {
		s.t.Errorf("the planner would still change Gateway %s: %+v, metadata stale: %t", gateway.Name, p.Changes, p.MetadataStale)
	}
	if diff := cmp.Diff(s.owned[gateway.Name], ownedBy(s.t, s.rawGateway(gateway.Name))); diff != "" {
		s.t.Errorf("what the owner of Gateway %s has written (-was +is):\n%s", gateway.Name, diff)
	}
}

// waitFor waits until a Gateway has a listener.
func (s *site) waitFor(gateway, listener string) {
	s.t.Helper()
	err := wait.PollUntilContextTimeout(s.t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		return slices.ContainsFunc(s.Gateway(gateway).Spec.Listeners, func(l gatewayv1.Listener) bool { return string(l.Name) == listener }), nil
	})
	if err != nil {
		s.t.Fatalf("wait for listener %s of Gateway %s: %v", listener, gateway, err)
	}
}

// marker is a Gateway by which it is told that the adapters have come so far:
// each sends one event at a time, in the order of the changes.
type marker struct {
	*site
	last int
}

func newMarker(t testing.TB) *marker {
	t.Helper()
	m := &marker{site: newSite(t, 1)}
	// The Gateway's own coming would bring the first listener before the events
	// that it is to come after.
	m.createNext()
	m.waitFor(gatewayName(0), m.listener())
	m.gatewaysArrive()
	return m
}

// certificatesArrive returns when every change of a Certificate up to now has
// been answered. It makes for one patch of a Gateway.
func (m *marker) certificatesArrive() {
	m.t.Helper()
	m.createNext()
	m.waitFor(gatewayName(0), m.listener())
}

func (m *marker) createNext() {
	m.t.Helper()
	m.last++
	_, err := m.Certificates.Create(m.t.Context(), newCertificate(fmt.Sprintf("m%d", m.last), gatewayName(0)), metav1.CreateOptions{})
	must(m.t, err)
}

// gatewaysArrive does so for Gateways: only a Gateway's own event can bring a
// listener back.
func (m *marker) gatewaysArrive() {
	m.t.Helper()
	gateway := m.Gateway(gatewayName(0))
	gateway.Spec.Listeners = gateway.Spec.Listeners[:2]
	_, err := m.Gateways.Update(m.t.Context(), gateway, metav1.UpdateOptions{FieldManager: "somebody"})
	must(m.t, err)
	m.waitFor(gatewayName(0), m.listener())
}

func (m *marker) listener() string { return fmt.Sprintf("auto-m%d-m%d-example-com", m.last, m.last) }
