package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// newLogs returns a provider of log records that are exported.
func newLogs(ctx context.Context, o outlet) (*sdklog.LoggerProvider, error) {
	exporter, err := otlploghttp.New(ctx,
		otlploghttp.WithHTTPClient(o.client),
		otlploghttp.WithTLSClientConfig(nil), // see outlet
		otlploghttp.WithRetry(otlploghttp.RetryConfig{
			Enabled: true, InitialInterval: firstRetry, MaxInterval: maxRetry, MaxElapsedTime: o.exportTimeout,
		}))
	if err != nil {
		return nil, fmt.Errorf("make the exporter of logs: %w", err)
	}
	batches := sdklog.NewBatchProcessor(countedLogExporter{exporter, o.tally}, slices.Concat(
		[]sdklog.BatchProcessorOption{sdklog.WithExportTimeout(o.exportTimeout)},
		unlessSet(o.env, "OTEL_BLRP_SCHEDULE_DELAY", sdklog.WithExportInterval(batchDelay)))...)
	return sdklog.NewLoggerProvider(
		sdklog.WithProcessor(countedRecords{batches, o.tally}), sdklog.WithResource(o.resource)), nil
}

// LogHandler returns a handler that writes through inner and, where logs are
// exported, sends the same lines on with the trace and span that they belong to.
func (t *Telemetry) LogHandler(inner slog.Handler) slog.Handler {
	if t.logs == nil {
		return inner
	}
	bridge := otelslog.NewHandler(instrumentationName, otelslog.WithLoggerProvider(t.logs))
	return slog.NewMultiHandler(inner, sameLines{bridge, inner})
}

// sameLines sends on what shown would write, and nothing else: the bridge itself
// takes lines of every level.
type sameLines struct {
	slog.Handler
	shown slog.Handler
}

func (s sameLines) Enabled(ctx context.Context, level slog.Level) bool {
	return s.shown.Enabled(ctx, level)
}

func (s sameLines) WithAttrs(attributes []slog.Attr) slog.Handler {
	return sameLines{s.Handler.WithAttrs(attributes), s.shown}
}

func (s sameLines) WithGroup(name string) slog.Handler {
	return sameLines{s.Handler.WithGroup(name), s.shown}
}
