package telemetry

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
)

const instrumentationName = "gateway-cert-operator.io/gateway-cert-handler/config/telemetry"

// signalKey is the attribute for what kind of telemetry was lost.
const signalKey = attribute.Key("gateway_cert.signal")

// newMetrics returns a provider of instruments whose values are exported.
func newMetrics(ctx context.Context, o outlet) (*sdkmetric.MeterProvider, error) {
	exporter, err := otlpmetrichttp.New(ctx,
		otlpmetrichttp.WithHTTPClient(o.client),
		otlpmetrichttp.WithTLSClientConfig(nil), // see outlet
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: maxRetry, MaxElapsedTime: o.exportTimeout,
		}))
	if err != nil {
		return nil, fmt.Errorf("make the exporter of metrics: %w", err)
	}
	reader := sdkmetric.NewPeriodicReader(countedMetricExporter{exporter, o.tally}, sdkmetric.WithTimeout(o.exportTimeout))
	return sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(o.resource)), nil
}

// measureLosses makes an instrument of what the tallies count.
func measureLosses(provider metric.MeterProvider, tallies []*tally) error {
	observe := func(_ context.Context, observer metric.Int64Observer) error {
		for _, t := range tallies {
			observer.Observe(t.lost(), metric.WithAttributes(signalKey.String(string(t.signal))))
		}
		return nil
	}
	_, err := provider.Meter(instrumentationName).Int64ObservableCounter("gateway_cert.telemetry.lost",
		metric.WithUnit("{item}"),
		metric.WithDescription("Spans, log records and pushes of metrics that the collector did not get."),
		metric.WithInt64Callback(observe))
	if err != nil {
		return fmt.Errorf("make the instrument for losses: %w", err)
	}
	return nil
}
