package explain

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// bad are the conditions of a listener that keep it from serving, the cause before
// the effect (Gateway API, ListenerConditionType).
var bad = []struct {
	condition gatewayv1.ListenerConditionType
	wanted    metav1.ConditionStatus
	required  bool
	reason    string
}{
	{gatewayv1.ListenerConditionConflicted, metav1.ConditionFalse, false, reasonConflicted},
	{gatewayv1.ListenerConditionAccepted, metav1.ConditionTrue, true, reasonNotAccepted},
	{gatewayv1.ListenerConditionResolvedRefs, metav1.ConditionTrue, true, reasonUnresolved},
	{gatewayv1.ListenerConditionProgrammed, metav1.ConditionTrue, true, reasonNotProgrammed},
}

// controllers is what the Gateway's controller says of a listener.
func controllers(gateway *gatewayv1.Gateway, name gatewayv1.SectionName) found {
	status := statusOf(gateway, name)
	if status == nil {
		return found{Broken, reasonNoController, fmt.Sprintf("no controller has said anything of listener %s", name)}
	}
	stale := false
	for _, b := range bad {
		condition := meta.FindStatusCondition(status.Conditions, string(b.condition))
		switch {
		case condition == nil && b.required:
			return found{Broken, reasonNotLooked, fmt.Sprintf("the controller has not said %s yet", b.condition)}
		case condition == nil:
		case condition.Status != b.wanted:
			return found{Broken, b.reason, fmt.Sprintf("%s is %s, %s: %s", b.condition, condition.Status, condition.Reason, condition.Message)}
		default:
			stale = stale || condition.ObservedGeneration < gateway.Generation
		}
	}
	if stale {
		return found{Warning, reasonNotLooked, "the controller has said yes to an older state of the Gateway, and nothing of the newest"}
	}
	return holds("Accepted, ResolvedRefs, Programmed")
}

func statusOf(gateway *gatewayv1.Gateway, name gatewayv1.SectionName) *gatewayv1.ListenerStatus {
	for i := range gateway.Status.Listeners {
		if gateway.Status.Listeners[i].Name == name {
			return &gateway.Status.Listeners[i]
		}
	}
	return nil
}
