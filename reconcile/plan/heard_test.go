package plan_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

var portUnavailable = condition(gatewayv1.ListenerConditionAccepted, metav1.ConditionFalse, gatewayv1.ListenerReasonPortUnavailable)

// heardInput is the base as it stands, with a controller that has taken up each
// listener in generation 3.
func heardInput() *plan.Input {
	in := settled(*baseInput())
	in.Gateway.Generation = 3
	for _, l := range in.Gateway.Spec.Listeners {
		say(in.Gateway, l.Name, programmed()...)
	}
	return &in
}

// say is what the controller says of a listener.
func say(gateway *gatewayv1.Gateway, name gatewayv1.SectionName, conditions ...metav1.Condition) {
	gateway.Status.Listeners = slices.DeleteFunc(gateway.Status.Listeners, func(l gatewayv1.ListenerStatus) bool { return l.Name == name })
	gateway.Status.Listeners = append(gateway.Status.Listeners, gatewayv1.ListenerStatus{Name: name, Conditions: conditions})
}

func TestWhatTheControllerSaysAgainstAListenerOfOursIsNoted(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input)
		want   []plan.Reason
	}{
		{"nothing", func(*plan.Input) {}, nil},
		{"that the port cannot be had", func(in *plan.Input) { say(in.Gateway, appListener, but(programmed(), portUnavailable)...) }, []plan.Reason{plan.ReasonListenerNotAccepted}},
		{"the same of the owner's listener", func(in *plan.Input) { say(in.Gateway, "http", but(programmed(), portUnavailable)...) }, nil},
		{"the same of one that is not there", func(in *plan.Input) { say(in.Gateway, "nobody", but(programmed(), portUnavailable)...) }, nil},
		{"the same of an older state", func(in *plan.Input) {
			say(in.Gateway, appListener, but(programmed(), portUnavailable)...)
			in.Gateway.Generation = 4
		}, nil},
		{"the same, and the listener is about to change", func(in *plan.Input) {
			say(in.Gateway, appListener, but(programmed(), portUnavailable)...)
			app(in).Spec.SecretName = "elsewhere"
		}, nil},
		{"the same, and the Gateway is paused", func(in *plan.Input) {
			say(in.Gateway, appListener, but(programmed(), portUnavailable)...)
			annotate(in.Gateway, plan.PausedKey, "true")
		}, []plan.Reason{plan.ReasonPaused}},
		{"a conflict with nobody", func(in *plan.Input) {
			say(in.Gateway, appListener, but(programmed(), condition(gatewayv1.ListenerConditionConflicted, metav1.ConditionTrue, "Whatever"))...)
		}, []plan.Reason{plan.ReasonListenerConflicted}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := heardInput()
			tc.mutate(in)
			p := plan.For(*in)
			if diff := cmp.Diff(tc.want, noted(p)); diff != "" || len(p.Rejections) != 0 {
				t.Errorf("rejections = %+v, notes (-want +got):\n%s", p.Rejections, diff)
			}
			for _, note := range p.Notes {
				if note.Reason != plan.ReasonPaused && (note.Certificate != named("infra", "app") || note.Hostname != "app.example.com" ||
					note.Listener != appListener || !strings.Contains(note.Message, "in its words") || note.Key == "") {
					t.Errorf("note = %+v, want it to name whose it is and to quote the controller", note)
				}
			}
		})
	}
}

func TestThePlanTellsWhichOfOurListenersServe(t *testing.T) {
	in := heardInput()
	if got := plan.For(*in).Serving; !slices.Equal(got, []gatewayv1.SectionName{appListener}) {
		t.Errorf("serving = %v, want %s alone", got, appListener)
	}
	in.Gateway.Generation++
	if got := plan.For(*in).Serving; len(got) != 0 {
		t.Errorf("serving after a change that the controller has not looked at = %v, want none", got)
	}
}

// The reason tells one cause from another; a controller's message may name times,
// addresses and counts.
func TestAComplaintIsTheSameWhateverTheWords(t *testing.T) {
	keyOf := func(mutate func(*metav1.Condition)) string {
		in, c := heardInput(), portUnavailable
		mutate(&c)
		say(in.Gateway, appListener, but(programmed(), c)...)
		p := plan.For(*in)
		if complaints := plan.Complaints(in.Gateway, p.Ledger); len(p.Notes) != 1 || !slices.Equal(complaints, []string{p.Notes[0].Key}) {
			t.Fatalf("notes = %+v and complaints = %q, want one of each, with one key", p.Notes, complaints)
		}
		return p.Notes[0].Key
	}
	base := keyOf(func(*metav1.Condition) {})
	if got := keyOf(func(c *metav1.Condition) { c.Message, c.LastTransitionTime = "in others", metav1.Now() }); got != base {
		t.Errorf("in other words the key is %q, want %q", got, base)
	}
	if got := keyOf(func(c *metav1.Condition) { c.Reason = "Another" }); got == base {
		t.Errorf("for another reason the key is still %q", got)
	}
}

func TestOnlyWhatIsSaidAgainstOursInTheNewestStateIsAComplaint(t *testing.T) {
	in := heardInput()
	ledger := plan.For(*in).Ledger
	say(in.Gateway, "http", but(programmed(), portUnavailable)...)
	if got := plan.Complaints(in.Gateway, ledger); len(got) != 0 {
		t.Errorf("complaints = %q, want none: the listener is the owner's", got)
	}
	say(in.Gateway, appListener, but(programmed(), portUnavailable)...)
	in.Gateway.Generation++
	if got := plan.Complaints(in.Gateway, ledger); len(got) != 0 {
		t.Errorf("complaints = %q, want none: they are about an older state", got)
	}
}

var secretMissing = condition(gatewayv1.ListenerConditionResolvedRefs, metav1.ConditionFalse, gatewayv1.ListenerReasonInvalidCertificateRef)

// issued has cert-manager say of the Certificate whether it is Ready, since then.
func issued(c *certmanagerv1.Certificate, ready cmmeta.ConditionStatus, since time.Time) {
	c.Status.Conditions = []certmanagerv1.CertificateCondition{
		{Type: certmanagerv1.CertificateConditionReady, Status: ready, LastTransitionTime: &metav1.Time{Time: since}},
	}
}

// Every new Certificate's listener is without its Secret at first, and a Warning
// for each would teach people to look past them.
func TestAMissingSecretIsNoComplaintUntilTheCertificateHasBeenReady(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input)
		want   []plan.Reason
	}{
		{"cert-manager has said nothing", func(in *plan.Input) { app(in).Status = certmanagerv1.CertificateStatus{} }, nil},
		{"the first issuance is under way", func(in *plan.Input) { issued(app(in), cmmeta.ConditionFalse, dayZero) }, nil},
		{"and the Gateway may not use the Secret anyway", func(in *plan.Input) {
			issued(app(in), cmmeta.ConditionFalse, dayZero)
			say(in.Gateway, appListener, but(programmed(), condition(gatewayv1.ListenerConditionResolvedRefs, metav1.ConditionFalse, gatewayv1.ListenerReasonRefNotPermitted))...)
		}, []plan.Reason{plan.ReasonListenerRefsNotResolved}},
		{"and the port cannot be had anyway", func(in *plan.Input) {
			issued(app(in), cmmeta.ConditionFalse, dayZero)
			say(in.Gateway, appListener, but(programmed(), secretMissing, portUnavailable)...)
		}, []plan.Reason{plan.ReasonListenerNotAccepted}},
		{"it is Ready", func(in *plan.Input) { issued(app(in), cmmeta.ConditionTrue, dayZero) }, []plan.Reason{plan.ReasonListenerRefsNotResolved}},
		{"it was Ready once", func(in *plan.Input) {
			issued(app(in), cmmeta.ConditionFalse, dayZero)
			app(in).Status.Revision = new(1)
		}, []plan.Reason{plan.ReasonListenerRefsNotResolved}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := heardInput()
			say(in.Gateway, appListener, but(programmed(), secretMissing)...)
			tc.mutate(in)
			p := plan.For(*in)
			if diff := cmp.Diff(tc.want, noted(p)); diff != "" || len(p.Serving) != 0 {
				t.Errorf("serving = %v, notes (-want +got):\n%s", p.Serving, diff)
			}
		})
	}
}

// The event of a Certificate that has become Ready comes before the controller has
// seen the Secret.
func TestAMissingSecretIsAnEarlyComplaintIfTheCertificateBecameReadySince(t *testing.T) {
	for _, tc := range []struct {
		name  string
		said  time.Time
		want  bool
		about metav1.Condition
	}{
		{"said before", dayZero.Add(-time.Minute), true, secretMissing},
		{"said in the same second", dayZero, true, secretMissing},
		// Traefik gives a condition a new time with each status that it writes.
		{"said anew a moment later", dayZero.Add(5 * time.Second), true, secretMissing},
		{"said when it should have seen it", dayZero.Add(11 * time.Second), false, secretMissing},
		{"said afterwards", dayZero.Add(time.Minute), false, secretMissing},
		{"the port was said before", dayZero.Add(-time.Minute), false, portUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := heardInput()
			issued(app(in), cmmeta.ConditionTrue, dayZero)
			tc.about.LastTransitionTime = metav1.NewTime(tc.said)
			say(in.Gateway, appListener, but(programmed(), tc.about)...)
			if notes := plan.For(*in).Notes; len(notes) != 1 || notes[0].Early != tc.want {
				t.Errorf("notes = %+v, want one that is early: %v", notes, tc.want)
			}
		})
	}
}
