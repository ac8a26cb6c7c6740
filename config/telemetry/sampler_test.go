package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// parents are none, one that is sampled and one that is not, from here and from
// elsewhere.
func parents(id trace.TraceID) map[string]context.Context {
	all := map[string]context.Context{"none": context.Background()}
	for name, flags := range map[string]trace.TraceFlags{"sampled": trace.FlagsSampled, "not sampled": 0} {
		of := trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{1}, TraceFlags: flags})
		all[name] = trace.ContextWithSpanContext(context.Background(), of)
		all["remote "+name] = trace.ContextWithRemoteSpanContext(context.Background(), of)
	}
	return all
}

// asSDK is the sampler that the SDK makes of its own variables.
func asSDK(t *testing.T, variables map[string]string, p sdktrace.SamplingParameters) bool {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(fixedID(p.TraceID)))
	_, span := provider.Tracer("").Start(p.ParentContext, "")
	return span.SpanContext().IsSampled()
}

type fixedID trace.TraceID

func (i fixedID) NewIDs(context.Context) (trace.TraceID, trace.SpanID) {
	return trace.TraceID(i), trace.SpanID{2}
}
func (fixedID) NewSpanID(context.Context, trace.TraceID) trace.SpanID { return trace.SpanID{2} }

func TestTheSamplerIsTheOneThatTheSDKWouldMake(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{
		"", "always_on", "always_off", "traceidratio", "Parentbased_always_on", "parentbased_always_off", " parentbased_traceidratio ",
	} {
		for _, ratio := range []string{"", "0", "0.3", " 0.7", "1"} {
			t.Run(fmt.Sprintf("%s %s", name, ratio), func(t *testing.T) {
				variables := map[string]string{"OTEL_TRACES_SAMPLER": name, "OTEL_TRACES_SAMPLER_ARG": ratio}
				ours := environment(func(variable string) string { return variables[variable] }).sampler()
				for range 20 {
					id := trace.TraceID{byte(random.Uint32()), 1, 2, 3, 4, 5, 6, 7, byte(random.Uint32()), byte(random.Uint32())}
					for parent, ctx := range parents(id) {
						p := sdktrace.SamplingParameters{ParentContext: ctx, TraceID: id}
						got := ours.ShouldSample(p).Decision == sdktrace.RecordAndSample
						if want := asSDK(t, variables, p); got != want {
							t.Fatalf("with parent %s trace %s is sampled: %v, want %v", parent, id, got, want)
						}
					}
				}
			})
		}
	}
}

// hanging is a provider of spans whose collector takes none until it is opened, and
// which has room for two.
func hanging(g *gate) (*sdktrace.TracerProvider, *tally) {
	counted := &tally{signal: traces, losses: newLosses(slog.New(slog.DiscardHandler)), room: 2}
	processor := sdktrace.NewBatchSpanProcessor(countedSpanExporter{spanGate{g}, counted},
		sdktrace.WithMaxQueueSize(2), sdktrace.WithMaxExportBatchSize(1))
	return sdktrace.NewTracerProvider(sdktrace.WithSampler(shedding{sdktrace.ParentBased(sdktrace.AlwaysSample()), counted}),
		sdktrace.WithSpanProcessor(countedSpans{processor, counted})), counted
}

func TestASpanThatThereIsNoRoomForIsNotRecordedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{opened: make(chan struct{})}
		provider, counted := hanging(g)
		tracer := provider.Tracer("")
		begin := func() trace.Span { _, span := tracer.Start(t.Context(), ""); return span }
		inTime := begin() // and ends when there is no room any more
		for range 2 {
			begin().End()
		}
		inTime.End()
		for range 3 {
			if span := begin(); span.IsRecording() {
				t.Error("a span is recorded that there is no room for")
			}
		}
		if got := counted.lost(); got != 4 {
			t.Errorf("%d are lost, want 4", got)
		}

		close(g.opened)
		if err := provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if span := begin(); !span.IsRecording() {
			t.Error("no span is recorded though there is room again")
		}
		if err := provider.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := counted.lost(); got != 4 {
			t.Errorf("%d are lost in the end, want still 4", got)
		}
	})
}
