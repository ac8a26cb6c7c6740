package plan_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// condition is one of a listener, of the Gateway's generation 3.
func condition(name gatewayv1.ListenerConditionType, status metav1.ConditionStatus, reason gatewayv1.ListenerConditionReason) metav1.Condition {
	return metav1.Condition{Type: string(name), Status: status, Reason: string(reason), Message: "in its words", ObservedGeneration: 3}
}

// programmed are the conditions of a listener that serves.
func programmed() []metav1.Condition {
	return []metav1.Condition{
		condition(gatewayv1.ListenerConditionAccepted, metav1.ConditionTrue, gatewayv1.ListenerReasonAccepted),
		condition(gatewayv1.ListenerConditionResolvedRefs, metav1.ConditionTrue, gatewayv1.ListenerReasonResolvedRefs),
		condition(gatewayv1.ListenerConditionProgrammed, metav1.ConditionTrue, gatewayv1.ListenerReasonProgrammed),
	}
}

// but puts conditions in the place of others of their type.
func but(conditions []metav1.Condition, instead ...metav1.Condition) []metav1.Condition {
	for _, c := range instead {
		found := false
		for i := range conditions {
			if conditions[i].Type == c.Type {
				conditions[i], found = c, true
			}
		}
		if !found {
			conditions = append(conditions, c)
		}
	}
	return conditions
}

func TestWhatAControllerSaysOfAListener(t *testing.T) {
	const no, yes, unknown = metav1.ConditionFalse, metav1.ConditionTrue, metav1.ConditionUnknown
	notAccepted := condition(gatewayv1.ListenerConditionAccepted, no, gatewayv1.ListenerReasonPortUnavailable)
	notResolved := condition(gatewayv1.ListenerConditionResolvedRefs, no, gatewayv1.ListenerReasonInvalidCertificateRef)
	notProgrammed := condition(gatewayv1.ListenerConditionProgrammed, no, gatewayv1.ListenerReasonInvalid)
	conflicted := condition(gatewayv1.ListenerConditionConflicted, yes, gatewayv1.ListenerReasonProtocolConflict)
	old := func(c metav1.Condition) metav1.Condition { c.ObservedGeneration = 2; return c }
	for _, tc := range []struct {
		name       string
		conditions []metav1.Condition
		want       plan.Standing
		reason     plan.Reason
		about      gatewayv1.ListenerConditionType
	}{
		{"all is well", programmed(), plan.Serving, "", ""},
		{"no conflicts", but(programmed(), condition(gatewayv1.ListenerConditionConflicted, no, gatewayv1.ListenerReasonNoConflicts)), plan.Serving, "", ""},
		{"not Accepted", but(programmed(), notAccepted), plan.Failing, plan.ReasonListenerNotAccepted, gatewayv1.ListenerConditionAccepted},
		{"not ResolvedRefs", but(programmed(), notResolved), plan.Failing, plan.ReasonListenerRefsNotResolved, gatewayv1.ListenerConditionResolvedRefs},
		{"not Programmed alone", but(programmed(), notProgrammed), plan.Failing, plan.ReasonListenerNotProgrammed, gatewayv1.ListenerConditionProgrammed},
		{"Conflicted", but(programmed(), conflicted), plan.Failing, plan.ReasonListenerConflicted, gatewayv1.ListenerConditionConflicted},
		{"all at once", but(programmed(), notProgrammed, notResolved, notAccepted, conflicted), plan.Failing, plan.ReasonListenerConflicted, gatewayv1.ListenerConditionConflicted},
		{"one cause of two effects", but(programmed(), notProgrammed, notAccepted), plan.Failing, plan.ReasonListenerNotAccepted, gatewayv1.ListenerConditionAccepted},
		{"a cause behind what is not known yet", but(programmed(), condition(gatewayv1.ListenerConditionAccepted, unknown, gatewayv1.ListenerReasonPending), notResolved),
			plan.Failing, plan.ReasonListenerRefsNotResolved, gatewayv1.ListenerConditionResolvedRefs},
		{"not Programmed behind what is not known yet", but(programmed(), condition(gatewayv1.ListenerConditionAccepted, unknown, gatewayv1.ListenerReasonPending), notProgrammed),
			plan.Undecided, "", gatewayv1.ListenerConditionAccepted},
		{"not Programmed behind an old yes", but(programmed(), old(programmed()[0]), notProgrammed), plan.Outdated, "", gatewayv1.ListenerConditionAccepted},
		{"Programmed is Unknown", but(programmed(), condition(gatewayv1.ListenerConditionProgrammed, unknown, "Whatever")), plan.Undecided, "", gatewayv1.ListenerConditionProgrammed},
		{"Programmed is still Pending", but(programmed(), condition(gatewayv1.ListenerConditionProgrammed, no, gatewayv1.ListenerReasonPending)), plan.Undecided, "", gatewayv1.ListenerConditionProgrammed},
		{"an old no", but(programmed(), old(notAccepted)), plan.Outdated, "", gatewayv1.ListenerConditionAccepted},
		{"an old conflict", but(programmed(), old(conflicted)), plan.Serving, "", ""},
		{"a conflict that is not known", but(programmed(), condition(gatewayv1.ListenerConditionConflicted, unknown, "Whatever")), plan.Serving, "", ""},
		{"a word of the future", but(programmed(), func() metav1.Condition { c := notAccepted; c.ObservedGeneration = 4; return c }()), plan.Outdated, "", gatewayv1.ListenerConditionAccepted},
		{"nothing of Programmed", programmed()[:2], plan.Undecided, "", gatewayv1.ListenerConditionProgrammed},
		{"no conditions", nil, plan.Undecided, "", gatewayv1.ListenerConditionAccepted},
		{"Detached, which is deprecated", but(programmed(), condition("Detached", yes, "Whatever")), plan.Serving, "", ""},
		{"overlapping TLS, which serves", but(programmed(), condition(gatewayv1.ListenerConditionOverlappingTLSConfig, yes, gatewayv1.ListenerReasonOverlappingHostnames)), plan.Serving, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gateway := baseGateway()
			gateway.Generation = 3
			gateway.Status.Listeners = []gatewayv1.ListenerStatus{{Name: "other"}, {Name: "ours", Conditions: tc.conditions}}
			got := plan.WordOf(gateway, "ours")
			if got.Standing != tc.want || got.Reason != tc.reason || got.Condition.Type != string(tc.about) {
				t.Errorf("word = %+v, want %s for %q by the condition %q", got, tc.want, tc.reason, tc.about)
			}
			if nobodys := plan.WordOf(gateway, "nobody"); nobodys.Standing != plan.Unheard {
				t.Errorf("of a listener without status: %+v, want %s", nobodys, plan.Unheard)
			}
		})
	}
}

func TestAControllersLongWordsAreCut(t *testing.T) {
	c := condition(gatewayv1.ListenerConditionAccepted, metav1.ConditionFalse, gatewayv1.ListenerConditionReason(strings.Repeat("R", 1024)))
	c.Message = strings.Repeat("m", 32<<10)
	if got := (plan.Word{Condition: c}).String(); len(got) > 400 || !strings.HasPrefix(got, "Accepted is False, RRR") {
		t.Errorf("%d bytes: %.80q", len(got), got)
	}
}
