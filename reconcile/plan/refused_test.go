package plan_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const appListener gatewayv1.SectionName = "auto-app-app-example-com"

// refusing are the API server's words on those listeners.
func refusing(names ...gatewayv1.SectionName) map[gatewayv1.SectionName]string {
	refused := map[gatewayv1.SectionName]string{}
	for _, name := range names {
		refused[name] = "policy says no"
	}
	return refused
}

// refusals are inputs whose change of [appListener] the API server refuses, one
// for each kind of change. Beside it, infra/b asks for b.com for the first time.
func refusals() map[plan.Action]*plan.Input {
	added := baseInput()
	changed := settled(*baseInput())
	app(&changed).Spec.SecretName = "elsewhere"
	removed := settled(*baseInput())
	removed.Certificates = nil
	all := map[plan.Action]*plan.Input{plan.Added: added, plan.Changed: &changed, plan.Removed: &removed}
	for _, in := range all {
		in.Certificates = append(in.Certificates, certificate("infra", "b", "b.com"))
		in.Refused = refusing(appListener)
	}
	return all
}

func eachRefusal(t *testing.T, test func(t *testing.T, action plan.Action, in *plan.Input)) {
	t.Helper()
	for action, in := range refusals() {
		t.Run(string(action), func(t *testing.T) { test(t, action, in) })
	}
}

func listenerNamed(listeners []gatewayv1.Listener, name gatewayv1.SectionName) *gatewayv1.Listener {
	for i := range listeners {
		if listeners[i].Name == name {
			return &listeners[i]
		}
	}
	return nil
}

func TestARefusalLeavesOutThatChangeAlone(t *testing.T) {
	eachRefusal(t, func(t *testing.T, action plan.Action, in *plan.Input) {
		p := plan.For(*in)
		before, after := listenerNamed(in.Gateway.Spec.Listeners, appListener), listenerNamed(p.Listeners, appListener)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s (-before +after):\n%s", appListener, diff)
		}
		want := []plan.Change{{Action: plan.Added, Listener: "auto-b-b-com", Hostname: "b.com", Certificate: named("infra", "b")}}
		if diff := cmp.Diff(want, p.Changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		r := firstRejection(t, p)
		if len(p.Rejections) != 1 || r.Reason != plan.ReasonRefusedByServer || r.Listener != appListener ||
			r.Certificate != named("infra", "app") || r.Hostname != "app.example.com" || !strings.Contains(r.Message, "policy says no") {
			t.Errorf("rejections of the %s listener = %+v, want one %s with the API server's words", action, p.Rejections, plan.ReasonRefusedByServer)
		}
	})
}

func TestARefusalIsRememberedInTheLedger(t *testing.T) {
	words := map[plan.Action]string{plan.Added: "refused", plan.Changed: "kept", plan.Removed: "kept"}
	eachRefusal(t, func(t *testing.T, action plan.Action, in *plan.Input) {
		got := plan.For(*in).Ledger[appListener].String()
		if want := regexp.MustCompile(`^infra/app ` + words[action] + `:[0-9a-f]{16}$`); !want.MatchString(got) {
			t.Errorf("ledger entry = %s, want %s", got, want)
		}
	})
}

func TestARefusalIsNotOfferedAgainWhileAllElseIsAsItWas(t *testing.T) {
	for name, mutate := range map[string]func(*plan.Input){
		"as it was":          func(*plan.Input) {},
		"another label":      func(in *plan.Input) { in.Gateway.Labels["a"] = "b" },
		"another annotation": func(in *plan.Input) { annotate(in.Gateway, "a", "b") },
		"another status": func(in *plan.Input) {
			in.Gateway.Status.Addresses = []gatewayv1.GatewayStatusAddress{{Value: "10.0.0.1"}}
		},
		"another generation":         func(in *plan.Input) { in.Gateway.Generation = 7 },
		"a Certificate that may not": func(in *plan.Input) { in.Certificates = append(in.Certificates, certificate("team-a", "c", "c.com")) },
	} {
		t.Run(name, func(t *testing.T) {
			eachRefusal(t, func(t *testing.T, _ plan.Action, in *plan.Input) {
				after := settled(*in)
				mutate(&after)
				p := plan.For(after)
				if !p.Unchanged() {
					t.Errorf("changes = %+v, metadata stale: %v; want nothing to do", p.Changes, p.MetadataStale)
				}
				if r := firstRejection(t, p); r.Reason != plan.ReasonRefusedByServer || r.Listener != appListener {
					t.Errorf("first rejection = %+v, want still %s of %s", r, plan.ReasonRefusedByServer, appListener)
				}
			})
		})
	}
}

// More of ours makes no room for what was refused before.
func TestARefusalIsNotOfferedAgainBesideANewListenerOfOurs(t *testing.T) {
	eachRefusal(t, func(t *testing.T, action plan.Action, in *plan.Input) {
		after := settled(*in)
		after.Certificates = append(after.Certificates, certificate("infra", "c", "c.com"))
		p := plan.For(after)
		if len(p.Changes) != 1 || p.Changes[0].Listener != "auto-c-c-com" {
			t.Errorf("%s: changes = %+v, want only auto-c-c-com added", action, p.Changes)
		}
		if again := plan.For(settled(after)); !again.Unchanged() || firstRejection(t, again).Reason != plan.ReasonRefusedByServer {
			t.Errorf("%s: applied, changes = %+v; want nothing to do, and the refusal remembered", action, again.Changes)
		}
	})
}

func TestARefusalIsOfferedAgainWhenSomethingChanges(t *testing.T) {
	ask := func(in *plan.Input) *certmanagerv1.Certificate { // infra/app, or one that comes back
		if in.Certificates[0].Name != "app" {
			in.Certificates = append([]certmanagerv1.Certificate{baseCertificate()}, in.Certificates...)
		}
		return app(in)
	}
	for name, mutate := range map[string]func(*plan.Input){
		"the Certificate's Secret": func(in *plan.Input) { ask(in).Spec.SecretName = "third" },
		"the Certificate's routes": func(in *plan.Input) { annotate(ask(in), plan.AllowedRoutesKey, "Same") },
		"the Certificate's port":   func(in *plan.Input) { annotate(ask(in), plan.ListenerPortKey, "8443") },
		"a listener of ours goes":  func(in *plan.Input) { in.Certificates = in.Certificates[:len(in.Certificates)-1] },
		"a listener of a user's": func(in *plan.Input) {
			in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, gatewayv1.Listener{Name: "mine", Port: 8080, Protocol: gatewayv1.HTTPProtocolType})
		},
		"the class":     func(in *plan.Input) { in.Gateway.Spec.GatewayClassName = "another" },
		"the addresses": func(in *plan.Input) { in.Gateway.Spec.Addresses = []gatewayv1.GatewaySpecAddress{{Value: "10.0.0.1"}} },
	} {
		t.Run(name, func(t *testing.T) {
			eachRefusal(t, func(t *testing.T, _ plan.Action, in *plan.Input) {
				after := settled(*in)
				mutate(&after)
				p := plan.For(after)
				offered := false
				for _, c := range p.Changes {
					offered = offered || c.Listener == appListener
				}
				if !offered || len(p.Rejections) != 0 {
					t.Errorf("changes = %+v, rejections = %+v; want %s among the changes and no rejection", p.Changes, p.Rejections, appListener)
				}
				if entry := p.Ledger[appListener]; entry.Refused+entry.Kept != "" {
					t.Errorf("ledger entry = %s, want no refusal in it", entry)
				}
			})
		})
	}
}

func TestARefusalIsForgottenWhenNobodyWantsItAnyMore(t *testing.T) {
	wish := map[plan.Action]func(*plan.Input){
		plan.Added:   func(in *plan.Input) { in.Certificates = in.Certificates[1:] },
		plan.Changed: func(in *plan.Input) { *app(in) = baseCertificate() },
		plan.Removed: func(in *plan.Input) { in.Certificates = append(in.Certificates, baseCertificate()) },
	}
	eachRefusal(t, func(t *testing.T, action plan.Action, in *plan.Input) {
		after := settled(*in)
		wish[action](&after)
		p := plan.For(after)
		if len(p.Changes) != 0 || len(p.Rejections) != 0 {
			t.Errorf("changes = %+v, rejections = %+v; want none", p.Changes, p.Rejections)
		}
		if !p.MetadataStale || p.Ledger[appListener].Refused+p.Ledger[appListener].Kept != "" {
			t.Errorf("ledger = %s (stale: %v), want it written anew without the refusal", p.Ledger, p.MetadataStale)
		}
	})
}

func TestAUsersListenerUnderARefusedNameIsNotOurs(t *testing.T) {
	for name, mine := range map[string]gatewayv1.Listener{
		"another hostname": {Name: appListener, Port: 8080, Protocol: gatewayv1.HTTPProtocolType},
		"the same hostname": func() gatewayv1.Listener {
			l := userListener(appListener, gatewayv1.HTTPSProtocolType)
			l.Port = 8443
			return l
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			in := baseInput()
			in.Refused = refusing(appListener)
			after := settled(*in)
			after.Gateway.Spec.Listeners = append(after.Gateway.Spec.Listeners, mine)
			p := plan.For(after)
			if diff := cmp.Diff(mine, p.Listeners[1]); diff != "" {
				t.Errorf("the user's listener (-before +after):\n%s", diff)
			}
			if _, taken := p.Ledger[appListener]; taken {
				t.Errorf("ledger = %s, want it not to name %s", p.Ledger, appListener)
			}
			if got := serving(p)["app.example.com"]; !strings.HasPrefix(got, string(appListener)+"-") {
				t.Errorf("app.example.com is served by %q, want a name with a suffix", got)
			}
		})
	}
}

func TestARefusalOfWhatDoesNotChangeIsNothing(t *testing.T) {
	in := settled(*baseInput())
	in.Refused = refusing(appListener, "http", "nobody")
	if p := plan.For(in); !p.Unchanged() || len(p.Rejections) != 0 {
		t.Errorf("changes = %+v, rejections = %+v; want none", p.Changes, p.Rejections)
	}
}

func TestTheLastListenerStaysAlsoWhereItsSuccessorIsRefused(t *testing.T) {
	in := settled(*baseInput())
	in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[1:]
	in.Certificates = []certmanagerv1.Certificate{certificate("infra", "b", "b.com")}
	in.Refused = refusing("auto-b-b-com")
	p := plan.For(in)
	if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	want := []plan.Reason{plan.ReasonLastListenerKept, plan.ReasonRefusedByServer}
	if again := plan.For(settled(in)); !again.Unchanged() || !cmp.Equal(reasons(again), want) {
		t.Errorf("applied: changes = %+v, reasons = %v; want none and %v", again.Changes, reasons(again), want)
	}
}

// A listener that somebody took off, and that the API server then will not have
// back, is remembered as it was: under its name, and before newcomers.
func TestARefusedReturnIsNotForgotten(t *testing.T) {
	// a.b.com has the hashed name: a-b.com had the plain one, and is asked for no more.
	name := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a-b.com")}})
	app(&name).Spec.DNSNames = []string{"a.b.com", "a-b.com"}
	name = settled(name)
	app(&name).Spec.DNSNames = []string{"a.b.com"}
	name = settled(name)
	capped := baseGateway()
	annotate(capped, plan.MaxListenersKey, "1")
	place := settled(plan.Input{Gateway: capped, Certificates: []certmanagerv1.Certificate{certificate("infra", "z", "z.com")}})
	place.Certificates = append(place.Certificates, certificate("infra", "a", "a.com"))
	for what, in := range map[string]plan.Input{"its name": name, "its place": place} {
		t.Run(what, func(t *testing.T) {
			taken := in.Gateway.Spec.Listeners[1].Name
			in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[:1]
			in.Refused = refusing(taken)
			if p := plan.For(settled(in)); !p.Unchanged() {
				t.Errorf("after the refusal of %s: changes = %+v, want none", taken, p.Changes)
			}
		})
	}
}

// It stands on 443, wants 8443, and may not; another Certificate wants 8443 too.
func TestARefusedMoveSettles(t *testing.T) {
	in := settled(*baseInput())
	in.Certificates = []certmanagerv1.Certificate{on8443(baseCertificate()), on8443(certificate("infra", "z", "app.example.com"))}
	in.Refused = refusing(appListener)
	if p := plan.For(settled(in)); !p.Unchanged() {
		t.Errorf("after the refusal: changes = %+v, want none", p.Changes)
	}
}

// The cap falls to one, and the listener that should go may not: so the other
// goes, and then the first is wanted.
func TestARefusedRemovalUnderACapSettles(t *testing.T) {
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a.com", "b.com")}})
	annotate(in.Gateway, plan.MaxListenersKey, "1")
	in.Refused = refusing("auto-a-b-com")
	if p := plan.For(settled(in)); !p.Unchanged() {
		t.Errorf("after the refusal: changes = %+v, metadata stale: %v; want nothing to do", p.Changes, p.MetadataStale)
	}
}

func TestWhatARefusalLeavesStandingCountsAndHoldsItsPlace(t *testing.T) {
	full := baseInput()
	for i := range 63 {
		full.Certificates = append(full.Certificates, certificate("infra", fmt.Sprintf("c%02d", i), fmt.Sprintf("c%02d.com", i)))
	}
	full.Certificates = full.Certificates[1:]
	heir := settled(*baseInput())
	heir.Certificates = []certmanagerv1.Certificate{certificate("infra", "z", "app.example.com")}
	mover := settled(*baseInput())
	mover.Certificates = []certmanagerv1.Certificate{on8443(baseCertificate()), certificate("infra", "z", "app.example.com")}
	capped := baseInput()
	annotate(capped.Gateway, plan.MaxListenersKey, "1")
	one := settled(*capped)
	one.Certificates = []certmanagerv1.Certificate{certificate("infra", "z", "z.com")}
	for _, tc := range []struct {
		name   string
		in     plan.Input
		most   int
		refuse gatewayv1.SectionName
	}{
		{"the removal of one of 64", func() plan.Input {
			in := settled(*full)
			in.Certificates = append(in.Certificates[1:], certificate("infra", "new", "new.com"))
			return in
		}(), 64, "auto-c00-c00-com"},
		{"the removal of the only one that the cap allows", one, 2, appListener},
		{"the removal of one whose hostname has an heir", heir, 64, appListener},
		{"the move of one whose old place has an heir", mover, 64, appListener},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.in.Refused = refusing(tc.refuse)
			p := plan.For(tc.in)
			if got := len(p.Listeners); got > tc.most {
				t.Errorf("%d listeners, want at most %d", got, tc.most)
			}
			onePlaceEach(t, p.Listeners)
		})
	}
}

// onePlaceEach fails where two listeners have one port, protocol and hostname,
// for the API server then refuses them all.
func onePlaceEach(t *testing.T, listeners []gatewayv1.Listener) {
	t.Helper()
	taken := map[string]gatewayv1.SectionName{}
	for _, l := range listeners {
		protocol := l.Protocol
		if protocol == gatewayv1.TLSProtocolType {
			protocol = gatewayv1.HTTPSProtocolType
		}
		hostname := gatewayv1.Hostname("")
		if l.Hostname != nil {
			hostname = *l.Hostname
		}
		place := fmt.Sprintf("%d %s %s", l.Port, protocol, hostname)
		if other, double := taken[place]; double {
			t.Errorf("listeners %s and %s are both on %s", other, l.Name, place)
		}
		taken[place] = l.Name
	}
}
