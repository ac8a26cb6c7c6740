package reconcile

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/metric"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// ran measures a run.
func (m *metrics) ran(ctx context.Context, o Outcome, took time.Duration) {
	verdict := metric.WithAttributes(verdictKey.String(string(o.Verdict)))
	m.runs.Add(ctx, 1, verdict)
	m.duration.Record(ctx, took.Seconds(), verdict)
	for _, change := range o.written {
		m.changes.Add(ctx, 1, metric.WithAttributes(actionKey.String(string(change.Action))))
	}
	for _, f := range o.Plan.Rejections {
		m.refused.Add(ctx, 1, metric.WithAttributes(reasonKey.String(string(f.Reason))))
	}
	m.looked(ctx, o)
}

// looked measures what a run or a sweep has seen of a Gateway that is as it should
// be.
func (m *metrics) looked(ctx context.Context, o Outcome) {
	if o.Verdict == Unchanged || o.Verdict == Patched {
		m.listeners.Record(ctx, float64(listenersIn(o.Plan.Ledger)))
	}
}

// listenersIn leaves out what the ledger only remembers as refused.
func listenersIn(ledger plan.Ledger) (n int) {
	for _, entry := range ledger {
		if entry.Refused == "" {
			n++
		}
	}
	return n
}

func (m *metrics) waited(ctx context.Context, d time.Duration) { m.wait.Record(ctx, d.Seconds()) }

func (m *metrics) phase(ctx context.Context, p phase, took time.Duration) {
	m.phases.Record(ctx, took.Seconds(), metric.WithAttributes(phaseKey.String(string(p))))
}

func (m *metrics) patched(ctx context.Context, err error) {
	m.patches.Add(ctx, 1, metric.WithAttributes(patchResultKey.String(string(patchResultOf(err)))))
}

func patchResultOf(err error) patchResult {
	switch {
	case err == nil:
		return patchApplied
	case errors.Is(err, cluster.ErrOutdated):
		return patchOutdated
	case errors.Is(err, cluster.ErrRefused):
		return patchRefused
	default:
		return patchFailed
	}
}

// sweep measures a sweep; its runs are measured by themselves.
func (m *metrics) sweep(ctx context.Context, total Totals, took time.Duration, err error) {
	for result, n := range map[sweepResult]int{
		foundRight: total.Checked - total.Healed - total.Failed, foundHealed: total.Healed, foundFailed: total.Failed,
	} {
		m.swept.Add(ctx, int64(n), metric.WithAttributes(sweepResultKey.String(string(result))))
	}
	verdict := sweepComplete
	switch {
	case err != nil:
		verdict = sweepImpossible
	case total.Failed > 0:
		verdict = sweepIncomplete
	}
	m.sweeps.Record(ctx, took.Seconds(), metric.WithAttributes(sweepVerdictKey.String(string(verdict))))
}
