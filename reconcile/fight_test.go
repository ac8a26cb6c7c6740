package reconcile

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// ring is where two writers meet.
type ring struct {
	fights
	gateway *gatewayv1.Gateway
	secret  string
}

func newRing() *ring {
	return &ring{secret: "app-tls", gateway: &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "edge", UID: "1", Generation: 1},
		Spec: gatewayv1.GatewaySpec{
			Listeners: []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}},
		},
	}}
}

// round is one of ours: it returns how long we would have waited before we
// wrote, and what we would have said.
func (r *ring) round() (time.Duration, *plan.Finding) {
	p := plan.For(plan.Input{Gateway: r.gateway, Certificates: []certmanagerv1.Certificate{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "app"},
		Spec:       certmanagerv1.CertificateSpec{SecretName: r.secret, DNSNames: []string{"app.example.com"}},
	}}})
	pause, note := r.slow(r.gateway, p)
	after := r.gateway.DeepCopy()
	after.Spec.Listeners, after.Annotations, after.Labels = p.Listeners, p.Annotations, p.Labels
	after.Generation++
	r.wrote(r.gateway, after, p)
	r.gateway = after
	return pause, note
}

// interfere is one of theirs.
func (r *ring) interfere(mutate func(*gatewayv1.Gateway)) {
	r.gateway = r.gateway.DeepCopy()
	mutate(r.gateway)
	r.gateway.Generation++
}

func wipe(g *gatewayv1.Gateway) { g.Spec.Listeners = g.Spec.Listeners[:1] }

func TestPausesGrowFromTheFourthTimeInAMinute(t *testing.T) {
	for name, undo := range map[string]func(*gatewayv1.Gateway){
		"taken off": wipe,
		"changed": func(g *gatewayv1.Gateway) {
			g.Spec.Listeners[1].Port = 444
			g.ManagedFields = []metav1.ManagedFieldsEntry{{
				Manager: "flux", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:listeners":{"k:{\"name\":\"auto-app-app-example-com\"}":{"f:port":{}}}}}`),
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRing()
				r.round()
				var pauses []time.Duration
				for range 9 {
					r.interfere(undo)
					pause, note := r.round()
					pauses = append(pauses, pause)
					if (note != nil) != (pause > 0) {
						t.Errorf("pause %s with note %v", pause, note)
					}
				}
				ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
				want := []time.Duration{0, 0, 0, ms(200), ms(400), ms(800), ms(1600), ms(2000), ms(2000)}
				if diff := cmp.Diff(want, pauses); diff != "" {
					t.Errorf("pauses (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestWhatIsNoFight(t *testing.T) {
	for name, meanwhile := range map[string]func(*ring){
		"the Certificate changes":      func(r *ring) { r.secret += "x" },
		"others change what is theirs": func(r *ring) { r.interfere(func(g *gatewayv1.Gateway) { g.Spec.Listeners[0].Port++ }) },
		"both at once":                 func(r *ring) { r.secret += "x"; r.interfere(func(g *gatewayv1.Gateway) { g.Spec.Listeners[0].Port++ }) },
		"another replica of ours follows the Certificate": func(r *ring) {
			r.secret += "x"
			r.interfere(func(g *gatewayv1.Gateway) {
				g.Spec.Listeners[1].TLS.CertificateRefs[0].Name = gatewayv1.ObjectName(r.secret)
			})
			r.secret += "x"
		},
		"a wipe every half minute":              func(r *ring) { r.interfere(wipe); time.Sleep(30 * time.Second) },
		"the Gateway is made anew":              func(r *ring) { r.gateway = newRing().gateway; r.gateway.UID += "x" },
		"the listener's name is a user's again": func(r *ring) { r.interfere(func(g *gatewayv1.Gateway) { wipe(g); g.Annotations, g.Labels = nil, nil }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRing()
				for range 20 {
					if pause, note := r.round(); pause > 0 || note != nil {
						t.Fatalf("pause %s, note %v; want neither", pause, note)
					}
					meanwhile(r)
				}
			})
		})
	}
}

func TestAfterAQuietMinuteTheCountBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRing()
		r.round()
		for range 5 {
			r.interfere(wipe)
			r.round()
		}
		time.Sleep(fightWindow + time.Second)
		r.interfere(wipe)
		if pause, _ := r.round(); pause != 0 {
			t.Errorf("pause = %s, want none", pause)
		}
	})
}

func TestTheOtherWriterIsTheLastToHaveWrittenListeners(t *testing.T) {
	entry := func(manager, subresource, fields string, at time.Time) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Subresource: subresource, Time: new(metav1.NewTime(at)),
			FieldsV1: metav1.NewFieldsV1(fields),
		}
	}
	listeners := `{"f:spec":{"f:listeners":{}}}`
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	entries := []metav1.ManagedFieldsEntry{
		entry("gateway-cert-handler", "", listeners, now.Add(time.Hour)),
		entry("kubectl", "", listeners, now),
		entry("flux", "", listeners, now.Add(time.Minute)),
		entry("labeller", "", `{"f:metadata":{}}`, now.Add(time.Hour)),
		entry("controller", "status", `{"f:status":{"f:listeners":{}}}`, now.Add(time.Hour)),
	}
	for range len(entries) {
		entries = slices.Concat(entries[1:], entries[:1])
		gateway := &gatewayv1.Gateway{ObjectMeta: metav1.ObjectMeta{ManagedFields: entries}}
		if got := lastOtherWriter(gateway); !strings.HasSuffix(got, `"flux"`) {
			t.Errorf("lastOtherWriter = %s, want flux", got)
		}
	}
	if got := lastOtherWriter(&gatewayv1.Gateway{}); strings.Contains(got, `"`) {
		t.Errorf("lastOtherWriter = %s, want no name", got)
	}
}
