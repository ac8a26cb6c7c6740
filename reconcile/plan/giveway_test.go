package plan_test

import (
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

var protocolConflict = condition(gatewayv1.ListenerConditionConflicted, metav1.ConditionTrue, gatewayv1.ListenerReasonProtocolConflict)

// passthrough is a user's listener that a controller may take to be in conflict
// with ours on its port.
func passthrough() gatewayv1.Listener {
	return gatewayv1.Listener{
		Name: "mine", Port: 443, Protocol: gatewayv1.TLSProtocolType, Hostname: new(gatewayv1.Hostname("mine.example.com")),
		TLS: &gatewayv1.ListenerTLSConfig{Mode: new(gatewayv1.TLSModePassthrough)},
	}
}

// conflictedInput has ours beside a user's TLS listener, both of which the
// controller says to be in conflict.
func conflictedInput(mutate func(*plan.Input)) plan.Input {
	in := *baseInput()
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, passthrough())
	if mutate != nil {
		mutate(&in)
	}
	in = settled(in)
	in.Gateway.Generation = 3
	for _, l := range in.Gateway.Spec.Listeners {
		say(in.Gateway, l.Name, programmed()...)
	}
	for _, name := range []gatewayv1.SectionName{appListener, "mine"} {
		say(in.Gateway, name, but(programmed(), protocolConflict)...)
	}
	return in
}

// givenWay is conflictedInput once ours is off, before the controller's next look.
func givenWay(mutate func(*plan.Input)) plan.Input {
	in := settled(conflictedInput(mutate))
	in.Gateway.Generation++
	return in
}

func TestAListenerThatTheControllerFindsInConflictWithAUsersIsTakenOff(t *testing.T) {
	in := conflictedInput(nil)
	p := plan.For(in)
	want := []plan.Change{{Action: plan.Removed, Listener: appListener, Hostname: "app.example.com", Certificate: named("infra", "app")}}
	if diff := cmp.Diff(want, p.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	r := firstRejection(t, p)
	if len(p.Rejections) != 1 || r.Reason != plan.ReasonListenerConflicted || r.Certificate != named("infra", "app") || r.Listener != appListener || r.Hostname != "app.example.com" {
		t.Errorf("rejections = %+v, want one %s of the listener", p.Rejections, plan.ReasonListenerConflicted)
	}
	for _, words := range []string{`"mine"`, "TLS on port 443", "ProtocolConflict", "in its words"} {
		if !strings.Contains(r.Message, words) {
			t.Errorf("the message does not hold %q: %s", words, r.Message)
		}
	}
	if len(p.Notes) != 0 {
		t.Errorf("notes = %+v, want none beside the rejection", p.Notes)
	}
}

func TestWhatGaveWayDoesNotComeBackWhileItsRivalIsThere(t *testing.T) {
	for name, mutate := range map[string]func(*plan.Input){
		"as it was":      func(*plan.Input) {},
		"another status": func(in *plan.Input) { in.Gateway.Status.Listeners = nil },
		"another Secret": func(in *plan.Input) { app(in).Spec.SecretName = "third" },
		"other routes":   func(in *plan.Input) { annotate(app(in), plan.AllowedRoutesKey, "Same") },
		"a newcomer elsewhere": func(in *plan.Input) {
			in.Certificates = append(in.Certificates, on8443(certificate("infra", "b", "b.com")))
		},
		"a newcomer beside it": func(in *plan.Input) { in.Certificates = append(in.Certificates, certificate("infra", "b", "b.com")) },
		"a listener of ours goes": func(in *plan.Input) {
			in.Certificates = append(in.Certificates, on8443(certificate("infra", "b", "b.com")))
			*in = settled(*in)
			in.Certificates = in.Certificates[:1]
		},
		"a user's on another port": func(in *plan.Input) {
			in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, gatewayv1.Listener{Name: "more", Port: 8080, Protocol: gatewayv1.HTTPProtocolType})
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := givenWay(nil)
			mutate(&in)
			p := plan.For(in)
			if got := serving(p)["app.example.com"]; got != "" {
				t.Errorf("app.example.com is served again by %s", got)
			}
			if r := firstRejection(t, p); r.Reason != plan.ReasonListenerConflicted || r.Listener != appListener {
				t.Errorf("first rejection = %+v, want still %s of %s", r, plan.ReasonListenerConflicted, appListener)
			}
			if again := plan.For(settled(in)); !again.Unchanged() {
				t.Errorf("applied, there is still something to do: %+v", again.Changes)
			}
		})
	}
}

func TestWhatGaveWayComesBackWhenTheConflictMayBeOver(t *testing.T) {
	rival := func(in *plan.Input) *gatewayv1.Listener { return &in.Gateway.Spec.Listeners[1] }
	for name, mutate := range map[string]func(*plan.Input){
		"the rival goes":           func(in *plan.Input) { in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[:1] },
		"the rival moves":          func(in *plan.Input) { rival(in).Port = 9443 },
		"the rival changes":        func(in *plan.Input) { rival(in).Hostname = new(gatewayv1.Hostname("other.example.com")) },
		"the controller changes":   func(in *plan.Input) { in.Gateway.Spec.GatewayClassName = "another" },
		"the Certificate's port":   func(in *plan.Input) { annotate(app(in), plan.ListenerPortKey, "8443") },
		"the ledger's word is out": func(in *plan.Input) { delete(in.Gateway.Annotations, plan.LedgerKey) },
	} {
		t.Run(name, func(t *testing.T) {
			in := givenWay(nil)
			mutate(&in)
			p := plan.For(in)
			if got := serving(p)["app.example.com"]; got != string(appListener) || len(p.Rejections) != 0 {
				t.Errorf("app.example.com is served by %q, rejections = %+v; want %s and none", got, p.Rejections, appListener)
			}
			if entry := p.Ledger[appListener]; entry.Refused != "" {
				t.Errorf("ledger entry = %s, want no refusal in it", entry)
			}
		})
	}
}

// It is the port that cannot speak both protocols: to try with each newcomer would
// break the user's listener each time.
func TestNoNewcomerIsTriedOnAPortInConflict(t *testing.T) {
	in := givenWay(nil)
	in.Certificates = append(in.Certificates, certificate("infra", "b", "app.example.com", "b.com"))
	p := plan.For(in)
	if len(p.Changes) != 0 || len(p.Rejections) != 3 {
		t.Errorf("changes = %+v, rejections = %+v; want none and three", p.Changes, p.Rejections)
	}
	for _, r := range p.Rejections {
		if r.Reason != plan.ReasonListenerConflicted || !strings.Contains(r.Message, `"mine"`) {
			t.Errorf("rejection = %+v, want %s that names the user's listener", r, plan.ReasonListenerConflicted)
		}
	}
}

func TestOnlyWhatTheControllerNamesGivesWay(t *testing.T) {
	in := conflictedInput(func(in *plan.Input) {
		in.Certificates = append(in.Certificates, certificate("infra", "b", "b.com"), on8443(certificate("infra", "c", "c.com")))
	})
	for range 2 {
		p := plan.For(in)
		if got := attached(p); got != "b.com c.com" {
			t.Errorf("attached: %q, want b.com and c.com", got)
		}
		in = settled(in)
	}
}

func TestNothingGivesWayToWhatIsNoRival(t *testing.T) {
	for name, mutate := range map[string]func(*gatewayv1.Listener){
		"on another port":                  func(l *gatewayv1.Listener) { l.Port = 9443 },
		"of our protocol and another name": func(l *gatewayv1.Listener) { l.Protocol = gatewayv1.HTTPSProtocolType },
	} {
		t.Run(name, func(t *testing.T) {
			p := plan.For(conflictedInput(func(in *plan.Input) { mutate(&in.Gateway.Spec.Listeners[1]) }))
			if len(p.Changes) != 0 || len(p.Rejections) != 0 || !cmp.Equal(noted(p), []plan.Reason{plan.ReasonListenerConflicted}) {
				t.Errorf("changes = %+v, rejections = %+v, notes = %+v; want only a note", p.Changes, p.Rejections, p.Notes)
			}
		})
	}
}

func TestAnOldWordTakesNothingOff(t *testing.T) {
	in := conflictedInput(nil)
	in.Gateway.Generation++
	if p := plan.For(in); !p.Unchanged() {
		t.Errorf("changes = %+v, want none", p.Changes)
	}
}

// Its conflict is with where it stands; where it goes there may be none.
func TestAListenerThatMovesAwayFromAConflictGoesOn(t *testing.T) {
	in := conflictedInput(func(in *plan.Input) {
		there := passthrough()
		there.Name, there.Port = "mine-too", 8443
		in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, there)
	})
	annotate(app(&in), plan.ListenerPortKey, "8443")
	p := plan.For(in)
	if len(p.Changes) != 1 || p.Changes[0].Action != plan.Changed || len(p.Rejections) != 0 {
		t.Errorf("changes = %+v, rejections = %+v; want it moved", p.Changes, p.Rejections)
	}
}

func TestAConflictIsForgottenWhenNobodyWantsThePlace(t *testing.T) {
	in := givenWay(nil)
	in.Certificates = nil
	p := plan.For(in)
	if len(p.Ledger) != 0 || !p.MetadataStale || len(p.Rejections) != 0 {
		t.Errorf("ledger = %s, rejections = %+v; want neither", p.Ledger, p.Rejections)
	}
}

// Else the other would wipe out the memory, or be taken for what gave way.
func TestTheNameOfWhatGaveWayIsNobodyElses(t *testing.T) {
	in := givenWay(nil)
	in.Certificates = append(in.Certificates, on8443(certificate("infra", "app-app", "example.com")))
	p := plan.For(in)
	if name := serving(p)["example.com"]; !strings.HasPrefix(name, string(appListener)+"-") || p.Ledger[appListener].Refused == "" {
		t.Errorf("example.com is served by %q and the ledger is %s; want another name, and the memory kept", name, p.Ledger)
	}
}

// A policy that will not have it removed.
func TestAConflictWhoseEndIsRefusedStands(t *testing.T) {
	in := conflictedInput(nil)
	in.Refused = refusing(appListener)
	p := plan.For(in)
	if listenerNamed(p.Listeners, appListener) == nil || p.Ledger[appListener].Refused != "" || p.Ledger[appListener].Kept == "" {
		t.Errorf("ledger = %s, listeners = %v; want it kept", p.Ledger, namesOf(p.Listeners))
	}
	in = settled(in)
	if again := plan.For(in); !again.Unchanged() {
		t.Errorf("applied, there is still something to do: %+v", again.Changes)
	}
}

func TestCertManagersListIsRidOfWhatGaveWay(t *testing.T) {
	in := conflictedInput(func(in *plan.Input) { annotate(in.Gateway, certmanagerv1.IngressIssuerNameAnnotationKey, "ca") })
	if before := in.Gateway.Annotations[certmanagerv1.CertificateIgnoreTLSListeners]; before != string(appListener) {
		t.Fatalf("the list is %q, want %s", before, appListener)
	}
	if after := plan.For(in).Annotations[certmanagerv1.CertificateIgnoreTLSListeners]; after != "" {
		t.Errorf("the list is %q, want it empty", after)
	}
}

func TestWhatGaveWayAndWhatTheServerRefusedAreToldApart(t *testing.T) {
	in := conflictedInput(nil)
	in.Certificates = append(in.Certificates, on8443(certificate("infra", "b", "b.com")))
	in.Refused = refusing("auto-b-b-com")
	p := plan.For(settled(in))
	if want := []plan.Reason{plan.ReasonListenerConflicted, plan.ReasonRefusedByServer}; !p.Unchanged() || !cmp.Equal(reasons(p), want) {
		t.Errorf("changes = %+v, reasons = %v; want none and %v", p.Changes, reasons(p), want)
	}
}

// In a dry run it stands, and the same words are told.
func TestOfAConflictNothingIsSaidToBeOffThatStands(t *testing.T) {
	in := conflictedInput(nil)
	in.Defaults.Mode = plan.ModeDryRun
	if r := firstRejection(t, plan.For(in)); r.Reason != plan.ReasonListenerConflicted || strings.Contains(r.Message, "it is off") {
		t.Errorf("it says %s: %q", r.Reason, r.Message)
	}
}
