package reconcile

import (
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

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
	// Covered: a run that has ended well had seen what the change tells; nothing
	// was asked of the API server.
	Covered Verdict = "Covered"
	// Paused: the Gateway's owner has paused it; nothing was written.
	Paused Verdict = "Paused"
	// DryRun: the Gateway is not as it should be, and nothing was written, because
	// its owner or the settings say so.
	DryRun Verdict = "DryRun"
	// GatewayMissing: there is no such Gateway, or it is being deleted. Its own
	// coming will be a change.
	GatewayMissing Verdict = "GatewayMissing"
	// Refused: the API server will not have any of what the plan wants; trying
	// again changes nothing. Err says why.
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
	// Notes are what the run found out beside the plan.
	Notes []plan.Finding
	// Attempts counts how often the Gateway was read and planned for; at least 1.
	Attempts int
	// ResourceVersion is the Gateway's as the run left it; empty when unknown.
	ResourceVersion string
	// Shared is set where another outcome tells of the run: it was made for several
	// changes, or goes on and nobody waits for it ([WithLateOutcomes]).
	Shared bool
	// RunSpan is the run's own span; invalid where there was no run.
	RunSpan trace.SpanContext
	// Err is set with [Refused] and [TryAgain].
	Err error
	// ReportErr is why people may not have been told; it changes no verdict.
	ReportErr error

	// policy is what the run went by; overtaken is set where another is in force
	// by now.
	policy    Policy
	overtaken bool
	// seen are the objects that the run has read, for Events.
	seen objects
	// certificates is the version that the LISTs of Certificates had reached.
	certificates string
	// left is the Gateway's metadata as the run left it.
	left metav1.ObjectMeta
	// complaints are those that the run has seen in the Gateway's status.
	complaints complaints
	// written are the changes of all attempts that have written; unfinished is set
	// where there are more to come.
	written    []plan.Change
	unfinished bool
	// swept is set where a sweep has found the Gateway right, without a run.
	swept bool
	// slowed is set once the run has waited for the sake of another writer.
	slowed bool
	// patchTook is how long the last patch took.
	patchTook time.Duration
}

// objects are references to one Gateway and to Certificates by name.
type objects struct {
	gateway      *corev1.ObjectReference
	certificates map[types.NamespacedName]corev1.ObjectReference
}

// leave takes note of the Gateway as the run has left it.
func (o *Outcome) leave(gateway *gatewayv1.Gateway) {
	o.ResourceVersion, o.left, o.complaints = gateway.ResourceVersion, gateway.ObjectMeta, complaintsOf(gateway)
}

// Findings returns all that people are to be told, in a fixed order: rejections
// first.
func (o Outcome) Findings() []plan.Finding {
	return slices.Concat(o.Plan.Rejections, o.Notes, o.Plan.Notes)
}

// Written returns what the run has changed on the Gateway, also where it failed
// afterwards.
func (o Outcome) Written() []plan.Change {
	if o.Verdict == Patched {
		return o.Plan.Changes
	}
	return o.written
}

// Planned returns what the run would have changed on the Gateway, had it not been
// a dry run.
func (o Outcome) Planned() []plan.Change {
	if o.Verdict == DryRun {
		return o.Plan.Changes
	}
	return nil
}

// Impact is the worst of what the run has changed and of what it would have.
func (o Outcome) Impact() plan.Impact {
	worst, _ := plan.ImpactOf(slices.Concat(o.Written(), o.Planned()))
	return worst
}

// Totals are how a sweep's outcomes add up.
type Totals struct {
	// Checked is how many Gateways were looked at. Of these Healed were not as
	// they should be, because of changes that nobody had reported, and now are;
	// Failed still are not.
	Checked, Healed, Failed int
}

// Sum adds up outcomes.
func Sum(outcomes []Outcome) Totals {
	t := Totals{Checked: len(outcomes)}
	for _, o := range outcomes {
		switch o.Verdict {
		case Patched:
			t.Healed++
		case TryAgain, Refused:
			t.Failed++
		}
	}
	return t
}
