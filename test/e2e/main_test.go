// Package e2e tests the product as its users meet it: objects are changed at a
// real API server, Knative's real adapters report it to the handler's process,
// and Gateways are looked at.
package e2e

import (
	"context"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is what all tests of this package share; each has a namespace of its
// own in it.
var system struct {
	*stack.Stack
	traces *collector.Collector
}

func TestMain(m *testing.M) { stack.Exit(runAll(m)) }

func runAll(m *testing.M) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var err error
	if system.traces, err = collector.Start(); err != nil {
		return 1, err
	}
	defer system.traces.Close()
	return stack.With(ctx, stack.Options{
		HandlerEnv: []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + system.traces.Endpoint(),
			"OTEL_BSP_SCHEDULE_DELAY=100", // ms; so that tests need not wait for the default of 5 s
		},
		Observability: map[string]string{
			"tracing-protocol":      "http/protobuf",
			"tracing-endpoint":      system.traces.Endpoint() + "/v1/traces",
			"tracing-sampling-rate": "1",
		},
		HandlerLog: new(recording.Log), // to be shown when a test has failed
	}, func(s *stack.Stack) int {
		system.Stack = s
		return m.Run()
	})
}
