package reconcile

import (
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Verdict is how a run for one Gateway ended.
type Verdict string

// The verdicts.
const (
	// Unchanged: the Gateway was as it should be; nothing was written.
	Unchanged Verdict = "Unchanged"
	// Patched: the Gateway was not as it should be and now is.
	Patched Verdict = "Patched"
	// GatewayMissing: there is no such Gateway, or it is being deleted. Its own
	// coming will be a change.
	GatewayMissing Verdict = "GatewayMissing"
	// Refused: the API server will not have what the plan wants; trying again
	// changes nothing. Err says why.
	Refused Verdict = "Refused"
	// TryAgain: something failed that may not fail the next time. Err says what.
	TryAgain Verdict = "TryAgain"
)

// Outcome is what a run for one Gateway did, and why.
type Outcome struct {
	Gateway types.NamespacedName
	Verdict Verdict
	// Plan is the last one made; zero if it did not come to that.
	Plan plan.Plan
	// Attempts counts how often the Gateway was read and planned for; at least 1.
	Attempts int
	// ResourceVersion is the Gateway's as the run left it; empty when unknown.
	ResourceVersion string
	// Err is set with [Refused] and [TryAgain].
	Err error
}
