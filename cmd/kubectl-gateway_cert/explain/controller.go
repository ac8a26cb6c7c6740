package explain

import (
	"fmt"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// controllers is what the Gateway's controller says of a listener, as the handler
// takes it.
func controllers(gateway *gatewayv1.Gateway, name gatewayv1.SectionName) found {
	switch word := plan.WordOf(gateway, name); word.Standing {
	case plan.Serving:
		return holds("Accepted, ResolvedRefs, Programmed")
	case plan.Failing:
		return found{Broken, string(word.Reason), word.String()}
	case plan.Unheard:
		return found{Broken, reasonNoController, fmt.Sprintf("no controller has said anything of listener %s", name)}
	case plan.Outdated:
		return outdated(gateway, name, word)
	default:
		return undecided(word)
	}
}

func undecided(word plan.Word) found {
	if word.Condition.Status == "" {
		return found{Broken, reasonNotLooked, fmt.Sprintf("the controller has not said %s yet", word.Condition.Type)}
	}
	return found{Broken, reasonNotLooked, "the controller is not done yet: " + word.String()}
}

// outdated goes by what the controller has said of the older state: what served
// most likely still does.
func outdated(gateway *gatewayv1.Gateway, name gatewayv1.SectionName, word plan.Word) found {
	older := *gateway
	older.Generation = word.Condition.ObservedGeneration
	const nothing = "the controller has said nothing of the newest state of the Gateway"
	switch before := plan.WordOf(&older, name); before.Standing {
	case plan.Serving:
		return found{Warning, reasonNotLooked, nothing + ", and yes to an older one"}
	case plan.Failing:
		return found{Broken, reasonNotLooked, nothing + "; of an older one: " + before.String()}
	default:
		return found{Broken, reasonNotLooked, nothing}
	}
}
