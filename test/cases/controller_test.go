package cases

import (
	"slices"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const appName gatewayv1.SectionName = "auto-app-app-example-com"

// word is what a Gateway's controller says of a listener beside that all is well.
type word struct {
	condition       gatewayv1.ListenerConditionType
	status          metav1.ConditionStatus
	reason, message string
}

// controllerSays is a write of edge's status by its controller, as to its newest
// state, and the event of it. Of listeners that are not named all is well.
func (s *scene) controllerSays(words map[gatewayv1.SectionName]word) reconcile.Outcome {
	s.t.Helper()
	gateway := s.Gateway(edge)
	gateway.Status.Listeners = nil
	for _, l := range gateway.Spec.Listeners {
		status := gatewayv1.ListenerStatus{Name: l.Name, SupportedKinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}}
		for _, condition := range []gatewayv1.ListenerConditionType{
			gatewayv1.ListenerConditionAccepted, gatewayv1.ListenerConditionResolvedRefs, gatewayv1.ListenerConditionProgrammed,
		} {
			status.Conditions = append(status.Conditions, word{condition, metav1.ConditionTrue, string(condition), ""}.of(gateway))
		}
		if said, ok := words[l.Name]; ok {
			status.Conditions = slices.DeleteFunc(status.Conditions, func(c metav1.Condition) bool { return c.Type == string(said.condition) })
			status.Conditions = append(status.Conditions, said.of(gateway))
		}
		gateway.Status.Listeners = append(gateway.Status.Listeners, status)
	}
	_, err := s.Gateways.UpdateStatus(s.t.Context(), gateway, metav1.UpdateOptions{FieldManager: "controller"})
	must(s.t, err)
	return s.handle(s.gatewayChange(reconcile.Update))
}

func (w word) of(gateway *gatewayv1.Gateway) metav1.Condition {
	return metav1.Condition{
		Type: string(w.condition), Status: w.status, Reason: w.reason, Message: w.message,
		ObservedGeneration: gateway.Generation, LastTransitionTime: metav1.Now(),
	}
}

func ofApp(w word) map[gatewayv1.SectionName]word { return map[gatewayv1.SectionName]word{appName: w} }

func notAccepted(reason, message string) map[gatewayv1.SectionName]word {
	return ofApp(word{gatewayv1.ListenerConditionAccepted, metav1.ConditionFalse, reason, message})
}

// because returns the Events of that reason about the object.
func (s *scene) because(about metav1.Object, reason plan.Reason) []eventsv1.Event {
	s.t.Helper()
	return slices.DeleteFunc(s.events(about), func(e eventsv1.Event) bool { return e.Reason != string(reason) })
}

func TestWhatTheControllerSaysAgainstAListenerIsOneEventForEachChange(t *testing.T) {
	s := newServedScene(t)
	s.controllerSays(nil)
	s.silent(s.certificate(app))
	for _, message := range []string{"port 443 is in use", "port 443 is in use", "port 443 is still in use"} {
		s.controllerSays(notAccepted("PortUnavailable", message))
		s.unwritten(s.look)
	}
	e := s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonListenerNotAccepted, "app.example.com", "PortUnavailable", "port 443 is in use")
	if n := times(e); n != 1 {
		t.Errorf("said %d times, want once", n)
	}
	if e.Related == nil || e.Related.Name != edge {
		t.Errorf("the Event is related to %+v, want the Gateway", e.Related)
	}
	s.silent(s.Gateway(edge))

	s.controllerSays(notAccepted("UnsupportedValue", "no such thing"))
	if told := s.because(s.certificate(app), plan.ReasonListenerNotAccepted); len(told) != 2 {
		t.Errorf("Events after another reason: %q, want 2", notes(told))
	}
	s.controllerSays(nil)
	if told := s.events(s.certificate(app)); len(told) != 2 {
		t.Errorf("Events after all is well: %q, want still 2", notes(told))
	}
	s.controllerSays(notAccepted("UnsupportedValue", "no such thing"))
	said := map[string]int{}
	for _, e := range s.because(s.certificate(app), plan.ReasonListenerNotAccepted) {
		said[e.Note] = times(e)
	}
	want := map[string]int{
		"app.example.com: the Gateway's controller says: Accepted is False, PortUnavailable: port 443 is in use": 1,
		"app.example.com: the Gateway's controller says: Accepted is False, UnsupportedValue: no such thing":     2,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("how often each was said (-want +got):\n%s", diff)
	}
}

// becomesReady is cert-manager's word on Certificate app from then on, and its
// event.
func (s *scene) becomesReady(since time.Time) reconcile.Outcome {
	s.t.Helper()
	c := s.certificate(app)
	c.Status.Conditions = []certmanagerv1.CertificateCondition{
		{Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionTrue, Reason: "Ready", LastTransitionTime: &metav1.Time{Time: since}},
	}
	updated, err := s.Certificates.UpdateStatus(s.t.Context(), c, metav1.UpdateOptions{})
	must(s.t, err)
	return s.told(reconcile.Update, updated)
}

// The controller is the last to see the Secret of a new Certificate; later somebody
// deletes that.
func TestOfAMissingSecretPeopleAreToldOnlyOnceTheCertificateHasBeenReady(t *testing.T) {
	s := newServedScene(t)
	missing := ofApp(word{gatewayv1.ListenerConditionResolvedRefs, metav1.ConditionFalse, "InvalidCertificateRef", "no such Secret"})
	expectFindings(t, s.controllerSays(missing))
	expectFindings(t, s.becomesReady(time.Now().Add(time.Minute)), "ListenerRefsNotResolved app app.example.com")
	s.controllerSays(nil)
	s.silent(s.certificate(app))

	s.becomesReady(time.Now().Add(-time.Minute))
	expectFindings(t, s.controllerSays(missing), "ListenerRefsNotResolved app app.example.com")
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonListenerRefsNotResolved, "no such Secret")
}

func TestEachConditionHasItsReason(t *testing.T) {
	s := newServedScene(t)
	s.becomesReady(time.Now().Add(-time.Minute))
	for reason, said := range map[plan.Reason]word{
		plan.ReasonListenerNotAccepted:     {gatewayv1.ListenerConditionAccepted, metav1.ConditionFalse, "UnsupportedProtocol", "m"},
		plan.ReasonListenerRefsNotResolved: {gatewayv1.ListenerConditionResolvedRefs, metav1.ConditionFalse, "InvalidCertificateRef", "m"},
		plan.ReasonListenerNotProgrammed:   {gatewayv1.ListenerConditionProgrammed, metav1.ConditionFalse, "Invalid", "m"},
		plan.ReasonListenerConflicted:      {gatewayv1.ListenerConditionConflicted, metav1.ConditionTrue, "HostnameConflict", "m"},
	} {
		expectFindings(t, s.controllerSays(ofApp(said)), string(reason)+" app app.example.com")
		s.event(s.certificate(app), corev1.EventTypeWarning, reason, said.reason)
	}
	s.expect(appListener)
}

func TestAStatusWriteThatSaysNothingNewIsNoRun(t *testing.T) {
	s := newServedScene(t)
	for _, words := range []map[gatewayv1.SectionName]word{
		nil,
		{"http": {gatewayv1.ListenerConditionAccepted, metav1.ConditionFalse, "PortUnavailable", "the owner's"}},
		ofApp(word{gatewayv1.ListenerConditionProgrammed, metav1.ConditionUnknown, "Pending", "wait"}),
	} {
		if o := s.controllerSays(words); o.Verdict != reconcile.Covered {
			t.Errorf("after %v the verdict is %s, want Covered", words, o.Verdict)
		}
	}
	bad := notAccepted("PortUnavailable", "m")
	for _, want := range []reconcile.Verdict{reconcile.Unchanged, reconcile.Covered, reconcile.Covered} {
		if o := s.controllerSays(bad); o.Verdict != want {
			t.Errorf("verdict = %s, want %s", o.Verdict, want)
		}
	}
}

// The controller judges by the port, as some do, so that the owner's listener is
// broken as long as ours is there.
func TestAListenerInConflictWithItsOwnersIsTakenOffAndDoesNotComeBack(t *testing.T) {
	s := newServedScene(t)
	s.updateGateway(addListener(tlsListener("mine", gatewayv1.TLSProtocolType, "mine.example.com")))
	s.look()
	conflict := word{gatewayv1.ListenerConditionConflicted, metav1.ConditionTrue, "ProtocolConflict", "HTTPS and TLS on port 443"}
	o := s.writtenOnce(func() reconcile.Outcome {
		return s.controllerSays(map[gatewayv1.SectionName]word{appName: conflict, "mine": conflict})
	})
	expectFindings(t, o, "ListenerConflicted app app.example.com")
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonListenerConflicted, "app.example.com", `"mine"`, "HTTPS and TLS on port 443")
	s.expect()

	s.controllerSays(nil)
	s.unwritten(s.look)
	s.unwritten(func() reconcile.Outcome { return s.again(app) })
	_, another := newReplica(t) // one that has only the ledger to know it from
	s.reconciler, another = another, s.reconciler
	expectFindings(t, s.unwritten(s.look), "ListenerConflicted app app.example.com")
	s.reconciler = another
	if told := s.because(s.certificate(app), plan.ReasonListenerConflicted); len(told) != 1 {
		t.Errorf("Events: %q, want 1", notes(told))
	}

	s.updateGateway(removeListener("mine"))
	expectFindings(t, s.writtenOnce(s.look))
	s.expect(appListener)
}
