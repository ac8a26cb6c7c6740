package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// tracesVariable says where traces go, beside the standard variables.
const tracesVariable = "TRACES"

// deciding are the standard variables that say where traces go, or that they go
// nowhere.
var deciding = []string{
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED",
}

// destination is where traces shall go.
type destination int

const (
	terminalHere destination = iota
	jaegerHere
	elsewhere // where the standard variables say
)

// readDestination reads the environment, which lookup is. The error names the
// variables that make no sense.
func readDestination(lookup func(name string) (value string, set bool)) (destination, error) {
	decided := slices.IndexFunc(deciding, func(name string) bool {
		_, set := lookup(name)
		return set
	})
	switch value, _ := lookup(tracesVariable); {
	case value == "jaeger" && decided >= 0:
		return 0, fmt.Errorf("%s=jaeger and %s both say where traces go: unset one of them", tracesVariable, deciding[decided])
	case value == "jaeger":
		return jaegerHere, nil
	case value != "":
		return 0, fmt.Errorf("%s is %q: set it to jaeger, or leave it out to have traces printed here", tracesVariable, value)
	case decided >= 0:
		return elsewhere, nil
	default:
		return terminalHere, nil
	}
}

// backend takes the traces.
type backend struct {
	env []string // the handler's
	// show tells where the sample's traces are, once it has converged.
	show func(context.Context) error
	// wait returns a trace of Gateway demo/edge, as collector.Wait does; nil where
	// traces cannot be read here.
	wait func(context.Context, func(collector.Trace) bool) (collector.Trace, error)
	stop func() error
}

// start starts the backend, if it is one of ours.
func (d destination) start(ctx context.Context, out *terminal) (backend, error) {
	switch d {
	case terminalHere:
		return toTerminal(out)
	case jaegerHere:
		return toJaeger(ctx, out)
	default:
		return backend{
			env:  standardVariables(),
			show: func(context.Context) error { return nil },
			stop: func() error { return nil },
		}, nil
	}
}

// standardVariables are those of OpenTelemetry in our own environment, which the
// handler gets as they are.
func standardVariables() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool { return !strings.HasPrefix(variable, "OTEL_") })
}

// handlerEnv are the standard variables, and where to send traces, as
// NAME=value. They are sent 100 ms after they ended instead of 5 s, so that they
// can be shown at once.
func handlerEnv(where string) []string {
	return append(standardVariables(), where, "OTEL_BSP_SCHEDULE_DELAY=100")
}
