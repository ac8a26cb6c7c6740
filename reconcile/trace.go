package reconcile

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const instrumentationName = "gateway-cert-operator.io/gateway-cert-handler/reconcile"

// Attributes of our own spans, for what the semantic conventions have no name.
const (
	changeKind        = attribute.Key("gateway_cert.change.kind")
	gatewaysFound     = attribute.Key("gateway_cert.gateways")
	gatewayName       = attribute.Key("gateway_cert.gateway.name")
	certificatesFound = attribute.Key("gateway_cert.certificates")
	verdictKey        = attribute.Key("gateway_cert.verdict")
	settingsKey       = attribute.Key("gateway_cert.settings.generation")
	attempts          = attribute.Key("gateway_cert.attempts")
	attempt           = attribute.Key("gateway_cert.attempt")
	listenersAdded    = attribute.Key("gateway_cert.listeners.added")
	listenersChanged  = attribute.Key("gateway_cert.listeners.changed")
	listenersRemoved  = attribute.Key("gateway_cert.listeners.removed")
	removedAtFirst    = attribute.Key("gateway_cert.listeners.removed_at_first_look")
	removalConfirmed  = attribute.Key("gateway_cert.removal.confirmed")
	impactKey         = attribute.Key("gateway_cert.impact")
	impactReason      = attribute.Key("gateway_cert.impact.reason")
	dryRun            = attribute.Key("gateway_cert.dry_run")
	rejections        = attribute.Key("gateway_cert.rejections")
	rejectionReasons  = attribute.Key("gateway_cert.rejection.reasons")
	noteReasons       = attribute.Key("gateway_cert.note.reasons")
	runTrace          = attribute.Key("gateway_cert.run.trace_id")
	dryRuns           = attribute.Key("gateway_cert.dry_runs")
	sweepChecked      = attribute.Key("gateway_cert.sweep.checked")
	sweepHealed       = attribute.Key("gateway_cert.sweep.healed")
	sweepFailed       = attribute.Key("gateway_cert.sweep.failed")
	eventsWritten     = attribute.Key("gateway_cert.kubernetes_events")
)

func gatewayAttributes(gateway types.NamespacedName) []attribute.KeyValue {
	return []attribute.KeyValue{
		semconv.K8SNamespaceName(gateway.Namespace),
		gatewayName.String(gateway.Name),
	}
}

func outcomeAttributes(o Outcome) []attribute.KeyValue {
	return append(planAttributes(o.Plan), verdictKey.String(string(o.Verdict)), attempts.Int(o.Attempts), settingsKey.Int64(o.policy.Generation),
		noteReasons.StringSlice(reasonsOf(slices.Concat(o.Notes, o.Plan.Notes))))
}

func sweepAttributes(total Totals) []attribute.KeyValue {
	return []attribute.KeyValue{
		sweepChecked.Int(total.Checked), sweepHealed.Int(total.Healed), sweepFailed.Int(total.Failed),
	}
}

func planAttributes(p plan.Plan) []attribute.KeyValue {
	count := map[plan.Action]int{}
	for _, change := range p.Changes {
		count[change.Action]++
	}
	impact, why := p.Impact()
	return []attribute.KeyValue{
		impactKey.String(string(impact)),
		impactReason.String(bounded(why)),
		dryRun.Bool(p.DryRun),
		listenersAdded.Int(count[plan.Added]),
		listenersChanged.Int(count[plan.Changed]),
		listenersRemoved.Int(count[plan.Removed]),
		rejections.Int(len(p.Rejections)),
		rejectionReasons.StringSlice(reasonsOf(p.Rejections)),
	}
}

// removalAttributes are of two plans: before and after the Certificates were read
// once more. The second look confirms the first if each of the listeners goes.
func removalAttributes(first, second plan.Plan) []attribute.KeyValue {
	before, after := first.Removed(), second.Removed()
	stays := func(name gatewayv1.SectionName) bool { return !slices.Contains(after, name) }
	return []attribute.KeyValue{
		removedAtFirst.Int(len(before)),
		removalConfirmed.Bool(!slices.ContainsFunc(before, stays)),
	}
}

// reasonsOf returns each reason once, sorted.
func reasonsOf(findings []plan.Finding) []string {
	reasons := make([]string, 0, len(findings))
	for _, f := range findings {
		reasons = append(reasons, string(f.Reason))
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// end closes a span, with the error on it if there is one.
func end(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}
