package telemetry

import (
	"context"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// newTraces returns a provider of spans that are exported. Those for which there is
// no room are not made: no more wait, with those on their way, than the queue of the
// batches takes, so that it never drops any.
func newTraces(ctx context.Context, o outlet) (*sdktrace.TracerProvider, error) {
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithHTTPClient(o.client),
		otlptracehttp.WithTLSClientConfig(nil), // see outlet
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: maxRetry, MaxElapsedTime: o.exportTimeout,
		}))
	if err != nil {
		return nil, fmt.Errorf("make the exporter of traces: %w", err)
	}
	batches := sdktrace.NewBatchSpanProcessor(countedSpanExporter{exporter, o.tally}, slices.Concat(
		[]sdktrace.BatchSpanProcessorOption{sdktrace.WithExportTimeout(o.exportTimeout)},
		unlessSet(o.env, "OTEL_BSP_SCHEDULE_DELAY", sdktrace.WithBatchTimeout(batchDelay)))...)
	o.tally.room = int64(o.env.maxSpans())
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(shedding{o.env.sampler(), o.tally}),
		sdktrace.WithSpanProcessor(countedSpans{batches, o.tally}), sdktrace.WithResource(o.resource)), nil
}
