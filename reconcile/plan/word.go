package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// Standing is how a listener stands with its Gateway's controller.
type Standing string

// The standings.
const (
	// Unheard: the controller has said nothing of the listener at all.
	Unheard Standing = "Unheard"
	// Undecided: it has not said of each condition whether it holds.
	Undecided Standing = "Undecided"
	// Outdated: what it has said is of an older state of the Gateway.
	Outdated Standing = "Outdated"
	// Serving: it has taken the listener up.
	Serving Standing = "Serving"
	// Failing: it has not, and says why.
	Failing Standing = "Failing"
)

// Word is what a Gateway's controller says of one listener.
type Word struct {
	Standing Standing
	// Reason is set with [Failing].
	Reason Reason
	// Condition is the one that keeps the listener from [Serving]; of one that is
	// missing only the type is set.
	Condition metav1.Condition
}

const (
	// maxQuote and maxQuotedReason bound what is quoted of a controller, in bytes:
	// the API lets it write 32 KiB and 1 KiB.
	maxQuote        = 256
	maxQuotedReason = 64
)

// String quotes the condition, in at most 400 bytes.
func (w Word) String() string {
	return fmt.Sprintf("%s is %s, %s: %s", w.Condition.Type, w.Condition.Status,
		truncate.Text(w.Condition.Reason, maxQuotedReason), truncate.Text(w.Condition.Message, maxQuote))
}

// watched are the conditions of a listener that keep it from serving, the cause
// before the effect (Gateway API v1.6, ListenerConditionType). Left out are
// Detached, which Accepted has replaced, Ready, which is reserved, and
// OverlappingTLSConfig, which every wildcard beside a name of its own brings and
// which keeps nothing from serving.
var watched = []struct {
	condition gatewayv1.ListenerConditionType
	wanted    metav1.ConditionStatus
	// optional is one that need not be there if it is as wanted.
	optional bool
	// summary is one that fails whenever another does, and then adds nothing.
	summary bool
	reason  Reason
}{
	{condition: gatewayv1.ListenerConditionConflicted, wanted: metav1.ConditionFalse, optional: true, reason: ReasonListenerConflicted},
	{condition: gatewayv1.ListenerConditionAccepted, wanted: metav1.ConditionTrue, reason: ReasonListenerNotAccepted},
	{condition: gatewayv1.ListenerConditionResolvedRefs, wanted: metav1.ConditionTrue, reason: ReasonListenerRefsNotResolved},
	{condition: gatewayv1.ListenerConditionProgrammed, wanted: metav1.ConditionTrue, summary: true, reason: ReasonListenerNotProgrammed},
}

// WordOf returns what the Gateway's controller says of a listener.
func WordOf(gateway *gatewayv1.Gateway, listener gatewayv1.SectionName) Word {
	for i := range gateway.Status.Listeners {
		if gateway.Status.Listeners[i].Name == listener {
			return wordOf(gateway.Status.Listeners[i].Conditions, gateway.Generation)
		}
	}
	return Word{Standing: Unheard}
}

// wordOf takes the first condition that fails, else the first that does not hold
// yet. What the controller has said of another generation of the Gateway is not
// about this one.
func wordOf(conditions []metav1.Condition, generation int64) Word {
	word := Word{Standing: Serving}
	for _, w := range watched {
		condition := meta.FindStatusCondition(conditions, string(w.condition))
		current := condition != nil && condition.ObservedGeneration == generation
		standing := Undecided
		switch {
		case current && condition.Status == w.wanted:
			continue
		case current && decided(condition) && !(w.summary && word.Standing != Serving):
			return Word{Standing: Failing, Reason: w.reason, Condition: *condition}
		case w.optional:
			continue
		case condition == nil:
			condition = &metav1.Condition{Type: string(w.condition)}
		case !current:
			standing = Outdated
		}
		if word.Standing == Serving {
			word = Word{Standing: standing, Condition: *condition}
		}
	}
	return word
}

// decided tells a no from a controller that has not looked yet, or still works.
func decided(condition *metav1.Condition) bool {
	return condition.Status != metav1.ConditionUnknown && condition.Reason != string(gatewayv1.ListenerReasonPending)
}
