package plan_test

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Whatever somebody edits on a listener of ours, it stays its Certificate's: it
// is healed under its name, and nobody else gets its place meanwhile.
func TestAnEditOfOursIsHealedWhateverElseHolds(t *testing.T) {
	edits := map[string]func(*gatewayv1.Listener){
		"port":        func(l *gatewayv1.Listener) { l.Port = 444 },
		"hostname":    func(l *gatewayv1.Listener) { l.Hostname = new(gatewayv1.Hostname("edited.example.com")) },
		"no hostname": func(l *gatewayv1.Listener) { l.Hostname = nil },
		"protocol":    func(l *gatewayv1.Listener) { l.Protocol = gatewayv1.HTTPProtocolType },
		"reference":   func(l *gatewayv1.Listener) { l.TLS.CertificateRefs[0].Name = "edited" },
	}
	holds := map[string]func(*plan.Input){
		"nothing else": func(*plan.Input) {},
		"an older rival": func(in *plan.Input) {
			in.Certificates = append(in.Certificates, certificate("infra", "a", "app.example.com"))
		},
		"the Gateway is full": func(in *plan.Input) {
			annotate(in.Gateway, plan.MaxListenersKey, "1")
			in.Certificates = append(in.Certificates, certificate("infra", "a", "a.com"))
		},
		"the Gateway is closed":  func(in *plan.Input) { annotate(in.Gateway, plan.PublishKey, "ListenerSet") },
		"it was Ready once":      func(in *plan.Input) { annotate(in.Gateway, plan.AttachKey, "WhenReady") },
		"its port is unreadable": func(in *plan.Input) { annotate(app(in), plan.ListenerPortKey, "https") },
	}
	for held, hold := range holds {
		for edited, edit := range edits {
			if held == "its port is unreadable" && edited == "port" {
				continue // nothing says what it should be
			}
			t.Run(held+", "+edited, func(t *testing.T) {
				in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "m", "app.example.com")}})
				want := in.Gateway.DeepCopy().Spec.Listeners
				hold(&in)
				edit(&in.Gateway.Spec.Listeners[1])
				if diff := cmp.Diff(want, plan.For(in).Listeners); diff != "" {
					t.Errorf("listeners (-before the edit +healed):\n%s", diff)
				}
			})
		}
	}
}

func TestHostnamesSwappedBetweenTwoOfOursAreSwappedBack(t *testing.T) {
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a.com", "b.com")}})
	want := in.Gateway.DeepCopy().Spec.Listeners
	l := in.Gateway.Spec.Listeners
	l[1].Hostname, l[2].Hostname = l[2].Hostname, l[1].Hostname
	if diff := cmp.Diff(want, plan.For(in).Listeners); diff != "" {
		t.Errorf("listeners (-before the swap +healed):\n%s", diff)
	}
}

// a-b.com has the plain name. Its listener's hostname is edited while a.b.com,
// which spells alike, is asked for too.
func TestAnEditedListenersNameIsNotANewcomers(t *testing.T) {
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a-b.com")}})
	app(&in).Spec.DNSNames = []string{"a.b.com", "a-b.com"}
	in.Gateway.Spec.Listeners[1].Hostname = new(gatewayv1.Hostname("edited.com"))
	if got := serving(plan.For(in))["a-b.com"]; got != "auto-a-a-b-com" {
		t.Errorf("a-b.com is served by %s, want it to keep auto-a-a-b-com", got)
	}
}

func TestAListenerTakenOffWhileItsPortIsUnreadableComesBackUnderItsName(t *testing.T) {
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a-b.com")}})
	app(&in).Spec.DNSNames = []string{"a.b.com", "a-b.com"}
	in = settled(in)
	want := serving(plan.For(in))
	in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[:1]
	annotate(app(&in), plan.ListenerPortKey, "https")
	in = settled(in)
	app(&in).Annotations = nil
	if diff := cmp.Diff(want, serving(plan.For(in))); diff != "" {
		t.Errorf("hostnames served (-before +after):\n%s", diff)
	}
}

// The API server's refusal of one Certificate's listener is no reason to leave
// out another's.
func TestARefusedNewcomerHoldsNoPlace(t *testing.T) {
	for name, mutate := range map[string]func(*plan.Input){
		"of a hostname": func(in *plan.Input) {
			in.Certificates = append(in.Certificates, certificate("infra", "z", "app.example.com"))
		},
		"under a cap": func(in *plan.Input) {
			annotate(in.Gateway, plan.MaxListenersKey, "1")
			in.Certificates = append(in.Certificates, certificate("infra", "z", "z.com"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := baseInput()
			mutate(in)
			in.Refused = refusing(appListener)
			if got := len(plan.For(*in).Listeners); got != 2 {
				t.Errorf("%d listeners, want the other Certificate's beside the user's", got)
			}
		})
	}
}

// The cluster's default lets only some namespaces in; a slip in the Gateway's own
// annotation must not let in more.
func TestASlipIsNoWiderThanTheDefaultThatItReplaces(t *testing.T) {
	in := askers()
	in.Defaults.CertificateNamespaces = "Selector: tier=silver"
	allowed := attached(plan.For(*in))
	annotate(in.Gateway, plan.CertificateNamespacesKey, "all")
	if got := attached(plan.For(*in)); !within(got, allowed) {
		t.Errorf("attached: %q; with the annotation absent no more than %q is", got, allowed)
	}
}
