package telemetry

import (
	"context"

	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The types below stand around the SDK's to count, and to make texts valid.
// Exporters keep their errors to themselves, since the tally tells of them; the
// SDK would tell of each.

type countedSpans struct {
	sdktrace.SpanProcessor
	*tally
}

// OnEnd passes on what there is a place for, of what the batch processor would
// take.
func (c countedSpans) OnEnd(span sdktrace.ReadOnlySpan) {
	if !span.SpanContext().IsSampled() || !c.take() {
		return
	}
	c.SpanProcessor.OnEnd(span)
	c.offer()
}

type countedSpanExporter struct {
	sdktrace.SpanExporter
	*tally
}

func (c countedSpanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	spans = each(spans, func(s sdktrace.ReadOnlySpan) sdktrace.ReadOnlySpan { return validSpan{s} })
	c.exported(len(spans), c.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

type countedRecords struct {
	sdklog.Processor
	*tally
}

func (c countedRecords) OnEmit(ctx context.Context, record *sdklog.Record) error {
	makeValid(record)
	err := c.Processor.OnEmit(ctx, record)
	c.offer()
	return err
}

type countedLogExporter struct {
	sdklog.Exporter
	*tally
}

func (c countedLogExporter) Export(ctx context.Context, records []sdklog.Record) error {
	c.exported(len(records), c.Exporter.Export(ctx, records))
	return nil
}

type countedMetricExporter struct {
	sdkmetric.Exporter
	*tally
}

func (c countedMetricExporter) Export(ctx context.Context, data *metricdata.ResourceMetrics) error {
	c.exported(1, c.Exporter.Export(ctx, data))
	return nil
}
