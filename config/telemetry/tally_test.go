package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// gate is an exporter that takes nothing until it is opened, and then fails as
// it is told to.
type gate struct {
	opened chan struct{}
	err    error
}

func (g *gate) pass() error {
	<-g.opened
	return g.err
}

type spanGate struct{ *gate }

func (g spanGate) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return g.pass() }
func (spanGate) Shutdown(context.Context) error                               { return nil }

type logGate struct{ *gate }

func (g logGate) Export(context.Context, []sdklog.Record) error { return g.pass() }
func (logGate) Shutdown(context.Context) error                  { return nil }
func (logGate) ForceFlush(context.Context) error                { return nil }

// queued returns a pipeline of either signal through the gate, whose queue has
// room for 4, and what makes an item.
func queued(s signal, g *gate) (p *pipeline, emit func()) {
	p = &pipeline{}
	p.tally = &tally{signal: s, losses: newLosses(slog.New(slog.DiscardHandler))}
	if s == traces {
		p.tally.room = 5 // with the one that is on its way
		processor := sdktrace.NewBatchSpanProcessor(countedSpanExporter{spanGate{g}, p.tally},
			sdktrace.WithMaxQueueSize(5), sdktrace.WithMaxExportBatchSize(1))
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(countedSpans{processor, p.tally}))
		p.sdk = provider
		return p, func() {
			_, span := provider.Tracer("").Start(context.Background(), "")
			span.End()
		}
	}
	processor := sdklog.NewBatchProcessor(countedLogExporter{logGate{g}, p.tally},
		sdklog.WithMaxQueueSize(4), sdklog.WithExportMaxBatchSize(1))
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(countedRecords{processor, p.tally}))
	p.sdk = provider
	logger := otelslog.NewLogger("", otelslog.WithLoggerProvider(provider))
	return p, func() { logger.Info("") }
}

func TestWhatAFullQueueDropsIsCounted(t *testing.T) {
	for _, s := range []signal{traces, logs} {
		t.Run(string(s), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &gate{opened: make(chan struct{})}
				p, emit := queued(s, g)
				emit()
				synctest.Wait() // it is with the exporter
				for range 10 {
					emit() // returns, though nothing moves
				}
				if got, known := p.tally.lost(), map[signal]int64{traces: 6, logs: 0}[s]; got != known {
					t.Errorf("%d are lost before the flush, want the %d that can be known", got, known)
				}
				close(g.opened)
				p.flush(t.Context())
				if got := p.tally.lost(); got != 6 {
					t.Errorf("%d are lost, want the 6 for which there was no room", got)
				}
				p.shutdown(t.Context())
				if got := p.tally.lost(); got != 6 {
					t.Errorf("%d are lost after the shutdown, want still 6", got)
				}
			})
		})
	}
}

func TestWhatAnExportFailsToSendIsCounted(t *testing.T) {
	for _, s := range []signal{traces, logs} {
		t.Run(string(s), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &gate{opened: make(chan struct{}), err: errors.New("refused")}
				close(g.opened)
				p, emit := queued(s, g)
				emit()
				synctest.Wait()
				emit()
				p.shutdown(t.Context())
				if got := p.tally.lost(); got != 2 {
					t.Errorf("%d are lost, want 2", got)
				}
			})
		})
	}
}

func TestWhatIsQueuedWhenTimeRunsOutIsCounted(t *testing.T) {
	for _, s := range []signal{traces, logs} {
		t.Run(string(s), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &gate{opened: make(chan struct{}), err: errors.New("too late")}
				p, emit := queued(s, g)
				for range 3 {
					emit()
				}
				ctx, cancel := context.WithTimeout(t.Context(), ShutdownTimeout)
				defer cancel()
				p.shutdown(ctx)
				close(g.opened) // what was under way ends after all
				synctest.Wait()
				if got := p.tally.lost(); got != 3 {
					t.Errorf("%d are lost, want 3", got)
				}
			})
		})
	}
}

func TestItemsThatComeDuringAFlushAreNotTakenForDropped(t *testing.T) {
	y := &tally{signal: traces, losses: newLosses(slog.New(slog.DiscardHandler))}
	y.offer()
	before := y.offers()
	y.offer()
	y.exported(1, nil)
	if y.settle(before, errNoRoom); y.lost() != 0 {
		t.Errorf("%d are lost, want 0", y.lost())
	}
}

func TestLossesAreAMetric(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	spans := &tally{signal: traces, losses: newLosses(slog.New(slog.DiscardHandler))}
	records := &tally{signal: logs, losses: spans.losses}
	if err := measureLosses(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)), []*tally{spans, records}); err != nil {
		t.Fatal(err)
	}
	spans.exported(3, errors.New("refused"))
	spans.exported(5, nil)
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	metricdatatest.AssertEqual(t, metricdata.Sum[int64]{
		Temporality: metricdata.CumulativeTemporality, IsMonotonic: true,
		DataPoints: []metricdata.DataPoint[int64]{
			{Attributes: attribute.NewSet(attribute.String("gateway_cert.signal", "traces")), Value: 3},
			{Attributes: attribute.NewSet(attribute.String("gateway_cert.signal", "logs"))},
		},
	}, got.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64]), metricdatatest.IgnoreTimestamp())
}

// The collector takes its time, the flush of the idling process is under way, and
// then the process is stopped.
func TestWhatAFlushHadUnderWayWhenTheShutdownCameIsNotTakenForLost(t *testing.T) {
	for _, s := range []signal{traces, logs} {
		t.Run(string(s), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &gate{opened: make(chan struct{})}
				p, emit := queued(s, g)
				emit()
				synctest.Wait()
				emit()
				go p.flush(context.WithoutCancel(t.Context()))
				synctest.Wait()
				time.AfterFunc(2*time.Second, func() { close(g.opened) })
				p.shutdown(t.Context())
				synctest.Wait()
				if got := p.tally.lost(); got != 0 {
					t.Errorf("%d are lost, want 0", got)
				}
			})
		})
	}
}
