package telemetry

import (
	"strconv"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// shedding has no span recorded for which there is no room: while a collector
// hangs, what is recorded would cost each event something, and be dropped when it
// ends. Such a span is counted as lost, and there are none below it.
type shedding struct {
	sdktrace.Sampler
	*tally
}

// ShouldSample implements [sdktrace.Sampler].
func (s shedding) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	result := s.Sampler.ShouldSample(p)
	if result.Decision == sdktrace.RecordAndSample && s.refuseIfFull() {
		result.Decision = sdktrace.Drop
	}
	return result
}

// sampler is the one that the variables ask for, as the SDK would make it: it takes
// no other around its own.
func (env environment) sampler() sdktrace.Sampler {
	asked := strings.ToLower(strings.TrimSpace(env("OTEL_TRACES_SAMPLER")))
	kind, underParent := strings.CutPrefix(asked, "parentbased_")
	var root sdktrace.Sampler
	switch kind {
	case "always_off":
		root = sdktrace.NeverSample()
	case "traceidratio":
		root = sdktrace.TraceIDRatioBased(env.ratio())
	default:
		root = sdktrace.AlwaysSample()
	}
	if underParent || asked == "" {
		return sdktrace.ParentBased(root)
	}
	return root
}

// ratio is a number, which validate has made sure of, and 1 where none is set.
func (env environment) ratio() float64 {
	ratio, err := strconv.ParseFloat(strings.TrimSpace(env("OTEL_TRACES_SAMPLER_ARG")), 64)
	if err != nil {
		return 1
	}
	return ratio
}

// maxSpans is how many spans may wait.
func (env environment) maxSpans() int {
	most, err := strconv.Atoi(strings.TrimSpace(env("OTEL_BSP_MAX_QUEUE_SIZE")))
	if err != nil {
		return sdktrace.DefaultMaxQueueSize
	}
	return most
}
