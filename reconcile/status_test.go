package reconcile

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// accepted is a status in which one listener's condition Accepted is so, for that
// reason, with no word on any other.
func accepted(listener string, status metav1.ConditionStatus, reason string, generation int64) string {
	return fmt.Sprintf(`{"listeners":[{"name":%q,"conditions":[{"type":"Accepted","status":%q,"reason":%q,"observedGeneration":%d}]}]}`,
		listener, status, reason, generation)
}

// statusWrite is the event of one, of edge as a run has left it.
func statusWrite(status string) Change {
	change := gatewayChange(Update, func(m *metav1.ObjectMeta) { m.ResourceVersion = "70" })
	change.Status = []byte(status)
	return change.read()
}

// coveringWith is covering after a run that has seen that status.
func coveringWith(status string) *coverage {
	o := left("60")
	o.complaints = statusWrite(status).complaints
	c := covering(Patched)
	c.ran(o, numbers)
	return c
}

func TestAStatusWriteIsCoveredUnlessItSaysSomethingElseOfOurListeners(t *testing.T) {
	const ours, theirs = "auto-app-x", "http"
	bad := accepted(ours, metav1.ConditionFalse, "PortUnavailable", 3)
	for _, tc := range []struct {
		name      string
		seen, now string
		want      bool
	}{
		{"all is well, as it was", accepted(ours, metav1.ConditionTrue, "Accepted", 3), accepted(ours, metav1.ConditionTrue, "Accepted", 3), true},
		{"the first word, and it is good", `{}`, accepted(ours, metav1.ConditionTrue, "Accepted", 3), true},
		{"a listener of ours has failed", accepted(ours, metav1.ConditionTrue, "Accepted", 3), bad, false},
		{"it still fails", bad, bad, true},
		{"it fails for another reason", bad, accepted(ours, metav1.ConditionFalse, "UnsupportedValue", 3), false},
		{"it fails no more", bad, accepted(ours, metav1.ConditionTrue, "Accepted", 3), false},
		{"the owner's listener has failed", `{}`, accepted(theirs, metav1.ConditionFalse, "PortUnavailable", 3), true},
		{"ours failed in an older state", `{}`, accepted(ours, metav1.ConditionFalse, "PortUnavailable", 2), true},
		{"what cannot be read", `{}`, `{"listeners":"none"}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := coveringWith(tc.seen).covers(statusWrite(tc.now), numbers); got != tc.want {
				t.Errorf("covered: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestAStatusIsNotKeptWithTheChange(t *testing.T) {
	if kept := statusWrite(accepted("auto-app-x", metav1.ConditionFalse, "PortUnavailable", 3)); kept.Status != nil || kept.complaints == (complaints{}) {
		t.Errorf("change = %+v, want of the status only what is compared", kept)
	}
}

func TestTheEventAndTheGatewayThatWasReadGiveOneDigest(t *testing.T) {
	gateway := &gatewayv1.Gateway{ObjectMeta: metadata("70", `{"auto-app-x":"infra/app"}`)}
	gateway.Status.Listeners = []gatewayv1.ListenerStatus{{Name: "auto-app-x", Conditions: []metav1.Condition{
		{Type: "Accepted", Status: metav1.ConditionFalse, Reason: "PortUnavailable", ObservedGeneration: 3},
	}}}
	if read := statusWrite(accepted("auto-app-x", metav1.ConditionFalse, "PortUnavailable", 3)); complaintsOf(gateway) != read.complaints {
		t.Error("the digests differ: every status write would make a run")
	}
}
