// Package telemetry sends traces, metrics and logs where the standard
// OpenTelemetry variables say, over OTLP/HTTP.
//
// A signal is exported when an endpoint for it is set, its own or the general
// one, or its exporter is named:
//
//	OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_{TRACES,METRICS,LOGS}_ENDPOINT
//	OTEL_{TRACES,METRICS,LOGS}_EXPORTER=otlp   (then the endpoint's default is https://localhost:4318)
//
// and not when its exporter is "none" or OTEL_SDK_DISABLED is "true". Without
// any, traces have their ids, so that log lines can be told apart by them, but
// nothing is recorded: a process that sleeps most of its life should not wake up
// to knock on a collector that nobody has named.
//
// The other variables are the SDK's; docs/tracing.md lists them. A value that
// cannot be obeyed is an error of [Start]. A collector that cannot be reached, or
// not be trusted, is none: telemetry never stops the work that it tells of.
package telemetry

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// ServiceName is the service.name of our telemetry unless OTEL_SERVICE_NAME or
// OTEL_RESOURCE_ATTRIBUTES name another.
const ServiceName = "gateway-cert-handler"

// Options are what telemetry is made of besides the environment.
type Options struct {
	// Version is that of this program.
	Version string
	// Logger is told what is lost; it must not be nil. Its lines are not exported,
	// even where logs are: what a collector does not take should not make for more
	// to send.
	Logger *slog.Logger
	// Client makes the client that sends one signal, and decides whom to trust. It
	// must make no spans itself: to send them it would be asked again. An error is
	// one of [Start]'s. It must not be nil: the exporters' own clients go on with
	// the system's authorities where a file of others cannot be read.
	Client func(Connection) (*http.Client, error)
}

// Telemetry makes spans, measurements and log records, and sends them on.
type Telemetry struct {
	// Traces and Metrics are never nil; what is not exported is not recorded.
	Traces  trace.TracerProvider
	Metrics metric.MeterProvider

	logs      *sdklog.LoggerProvider // nil: not exported
	pipelines []*pipeline
	losses    *losses
	idle      *idle // nil: there is nothing to flush
}

// Start returns Telemetry as the environment asks for. An error names the
// variable that cannot be obeyed. What OpenTelemetry's own code has to say goes
// to the logger from then on, for the whole process.
func Start(ctx context.Context, options Options) (*Telemetry, error) {
	// While things are being set up the SDK has nothing to say: validate has
	// looked at the variables, and the SDK would quote credentials.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	defer speakThrough(options.Logger)

	t := &Telemetry{
		Traces:  sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample())),
		Metrics: metricnoop.NewMeterProvider(),
		losses:  newLosses(options.Logger),
	}
	env := environment(os.Getenv)
	wanted, err := env.validate()
	if err != nil {
		return nil, err
	}
	if len(wanted) == 0 {
		return t, nil
	}
	if err := t.start(ctx, env, wanted, options); err != nil {
		return nil, err
	}
	t.idle = &idle{flush: t.flush}
	return t, nil
}

func speakThrough(logger *slog.Logger) {
	otel.SetLogger(logr.FromSlogHandler(logger.Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("OpenTelemetry", "error", shorten(err.Error()))
	}))
}

func (t *Telemetry) start(ctx context.Context, env environment, wanted []signal, options Options) error {
	described, err := describe(ctx, options.Version)
	if err != nil {
		return err
	}
	var tallies []*tally
	for _, s := range wanted {
		counted := &tally{signal: s, losses: t.losses}
		tallies = append(tallies, counted)
		client, err := options.client(env.connection(s), counted)
		if err != nil {
			return err
		}
		o := outlet{
			env: env, resource: described,
			client: client, tally: counted,
			exportTimeout: env.patience(s).export,
		}
		if err := t.open(ctx, o); err != nil {
			return err
		}
	}
	return measureLosses(t.Metrics, tallies)
}

// open makes the pipeline of one signal.
func (t *Telemetry) open(ctx context.Context, o outlet) error {
	p := &pipeline{tally: o.tally, exportTimeout: o.exportTimeout}
	switch o.tally.signal {
	case traces:
		provider, err := newTraces(ctx, o)
		if err != nil {
			return err
		}
		t.Traces, p.sdk = provider, provider
	case metrics:
		provider, err := newMetrics(ctx, o)
		if err != nil {
			return err
		}
		t.Metrics, p.sdk = provider, provider
	case logs:
		provider, err := newLogs(ctx, o)
		if err != nil {
			return err
		}
		t.logs, p.sdk = provider, provider
	}
	t.pipelines = append(t.pipelines, p)
	return nil
}

// flush sends what all signals have queued, each within the time for one batch.
func (t *Telemetry) flush() {
	t.sideBySide(func(p *pipeline) {
		ctx, cancel := context.WithTimeout(context.Background(), p.exportTimeout)
		defer cancel()
		p.flush(ctx)
	})
}

// Shutdown sends what is still queued and stops. It returns when that is done or
// ctx ends; what is lost by then is told in one line of the log.
func (t *Telemetry) Shutdown(ctx context.Context) {
	t.sideBySide(func(p *pipeline) { p.shutdown(ctx) })
	t.losses.close()
}

// sideBySide does so for all signals at once: none should wait for another's
// collector.
func (t *Telemetry) sideBySide(do func(*pipeline)) {
	var group sync.WaitGroup
	for _, p := range t.pipelines {
		group.Go(func() { do(p) })
	}
	group.Wait()
}
