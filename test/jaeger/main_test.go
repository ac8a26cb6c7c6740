package jaeger_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/jaeger"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is what all tests of this package share; each has a namespace of its
// own in it. It is empty unless Jaeger was asked for.
var system struct {
	*stack.Stack
	jaeger *jaeger.Server
}

func TestMain(m *testing.M) {
	// Jaeger takes minutes to build, so tests in general go without it.
	if os.Getenv(jaeger.BinaryVariable) == "" {
		os.Exit(m.Run())
	}
	stack.Exit(runAll(m))
}

func runAll(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	server, err := startJaeger(ctx)
	if err != nil {
		return 1, err
	}
	// After the stack, whose handler sends its last spans while it stops.
	defer func() {
		if stopErr := server.Stop(); stopErr != nil {
			code, err = 1, errors.Join(err, stopErr)
		}
	}()
	var failed error
	code, err = stack.With(ctx, stack.Options{
		HandlerEnv: []string{
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + server.TracesEndpoint(),
			"OTEL_BSP_SCHEDULE_DELAY=100", // ms; so that tests need not wait for the default of 5 s
		},
		HandlerLog: new(recording.Log), // to be shown when a test has failed
	}, func(s *stack.Stack) int {
		system.Stack, system.jaeger = s, server
		if failed = waitForFirstSweep(ctx, server); failed != nil {
			return 1
		}
		return m.Run()
	})
	return code, errors.Join(failed, err)
}

func startJaeger(ctx context.Context) (*jaeger.Server, error) {
	program, err := jaeger.Build(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	return jaeger.Start(ctx, jaeger.Options{Program: program})
}

// waitForFirstSweep waits until the sweep that the handler starts with is over. It
// could do what a test expects of an event.
func waitForFirstSweep(ctx context.Context, server *jaeger.Server) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := server.WaitFor(ctx, search(nil), func(trace collector.Trace) bool {
		_, swept := trace.Find("sweep after start")
		return swept
	})
	return err
}

// needJaeger skips a test that cannot do without.
func needJaeger(t *testing.T) {
	t.Helper()
	if system.Stack == nil {
		t.Skipf("%s is not set: run \"make test-jaeger\"", jaeger.BinaryVariable)
	}
}
