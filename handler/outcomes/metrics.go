package outcomes

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

const instrumentationName = "gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"

// result is what became of an event.
type result string

const (
	// delivered: the sink has taken it, or an answer carries it.
	delivered result = "Delivered"
	// dropped: it was given up.
	dropped result = "Dropped"
	// refused: the sink has said no for good.
	refused result = "Refused"
)

const resultKey = attribute.Key("gateway_cert.outcome.result")

// metrics count events by what became of them.
type metrics struct{ outcomes metric.Int64Counter }

// newMetrics makes the instrument; a nil provider makes one that does nothing.
func newMetrics(provider metric.MeterProvider) metrics {
	if provider == nil {
		provider = noop.NewMeterProvider()
	}
	counter, err := provider.Meter(instrumentationName).Int64Counter("gateway_cert.outcomes",
		metric.WithUnit("{event}"), metric.WithDescription("Events about the outcomes of runs, by what became of them."))
	if err != nil {
		otel.Handle(err) // of a name that is not valid
	}
	return metrics{counter}
}

func (m metrics) add(ctx context.Context, r result) {
	m.outcomes.Add(ctx, 1, metric.WithAttributes(resultKey.String(string(r))))
}
