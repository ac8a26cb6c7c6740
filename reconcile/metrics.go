package reconcile

import (
	"errors"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// Attributes of metrics beside those that spans have too. Each has few values,
// whatever a cluster holds: no Gateway, Certificate or hostname is among them.
const (
	phaseKey        = attribute.Key("gateway_cert.phase")
	patchResultKey  = attribute.Key("gateway_cert.patch.result")
	actionKey       = attribute.Key("gateway_cert.change.action")
	reasonKey       = attribute.Key("gateway_cert.rejection.reason")
	sweepResultKey  = attribute.Key("gateway_cert.sweep.result")
	sweepVerdictKey = attribute.Key("gateway_cert.sweep.verdict")
)

// phase is a part of a run that takes time, by the name of its span.
type phase string

const (
	phaseLookUp         phase = "look up"
	phasePlan           phase = "plan"
	phasePatch          phase = "patch"
	phaseConfirmRemoval phase = "confirm removal"
	phaseFindRefused    phase = "find refused"
	phaseReport         phase = "report"
)

// patchResult is what the API server made of a patch.
type patchResult string

const (
	patchApplied  patchResult = "Applied"
	patchOutdated patchResult = "Outdated" // the guard failed: somebody has changed the Gateway
	patchRefused  patchResult = "Refused"
	patchFailed   patchResult = "Failed"
)

// sweepResult is how a sweep found, and left, one Gateway. Together they are all
// that it has checked.
type sweepResult string

const (
	foundRight  sweepResult = "Right"
	foundHealed sweepResult = "Healed"
	foundFailed sweepResult = "Failed"
)

// sweepVerdict is how a sweep ended.
type sweepVerdict string

const (
	sweepComplete   sweepVerdict = "Complete"
	sweepIncomplete sweepVerdict = "Incomplete" // some Gateways may not be right
	sweepImpossible sweepVerdict = "Impossible" // it could not even look
)

// metrics measure runs and sweeps.
type metrics struct {
	runs, patches, changes, refused, swept    metric.Int64Counter
	duration, phases, wait, listeners, sweeps metric.Float64Histogram
}

// seconds are the bounds of durations: from a look at what is in memory to the
// deadline of a run.
var seconds = metric.WithExplicitBucketBoundaries(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

// newMetrics makes the instruments; a nil provider makes some that do nothing.
func newMetrics(provider metric.MeterProvider) *metrics {
	if provider == nil {
		provider = noop.NewMeterProvider()
	}
	i := instruments{Meter: provider.Meter(instrumentationName)}
	m := &metrics{
		runs:    i.counter("gateway_cert.runs", "{run}", "Runs for one Gateway, by how they ended."),
		patches: i.counter("gateway_cert.patches", "{patch}", "Patches of Gateways, by what the API server made of them."),
		changes: i.counter("gateway_cert.listener.changes", "{listener}", "Listeners that were added, changed or removed."),
		refused: i.counter("gateway_cert.listeners.refused", "{listener}", "What runs have left out, by reason. Each run counts what it meets, so that a standing refusal counts again."),
		swept:   i.counter("gateway_cert.sweep.gateways", "{gateway}", "Gateways that sweeps have checked."),

		duration: i.histogram("gateway_cert.run.duration", "s", "How long runs took.", seconds),
		phases:   i.histogram("gateway_cert.run.phase.duration", "s", "How long the parts of runs took.", seconds),
		wait:     i.histogram("gateway_cert.queue.wait", "s", "How long the first of the changes that a run was made for waited for it.", seconds),
		sweeps:   i.histogram("gateway_cert.sweep.duration", "s", "How long sweeps took, by how they ended.", seconds),
		// A gauge for each Gateway would need its name, and would stay when the
		// process has gone to sleep. A distribution needs neither; over the time of
		// one sweep, which looks at every Gateway, its sum is all listeners.
		listeners: i.histogram("gateway_cert.gateway.listeners", "{listener}", "How many listeners of ours a Gateway had when a run or a sweep had looked at it.",
			metric.WithExplicitBucketBoundaries(0, 1, 2, 4, 8, 16, 32, 48, 64)),
	}
	if err := errors.Join(i.errs...); err != nil {
		otel.Handle(err) // of a name that is not valid
	}
	return m
}

// instruments makes some, and gathers errors.
type instruments struct {
	metric.Meter
	errs []error
}

func (i *instruments) counter(name, unit, description string) metric.Int64Counter {
	c, err := i.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	i.errs = append(i.errs, err)
	return c
}

func (i *instruments) histogram(name, unit, description string, bounds metric.HistogramOption) metric.Float64Histogram {
	h, err := i.Float64Histogram(name, metric.WithUnit(unit), metric.WithDescription(description), bounds)
	i.errs = append(i.errs, err)
	return h
}
