// Package e2e tests the product as its users meet it: objects are changed at a
// real API server, Knative's real adapters report it to the handler's process,
// and Gateways are looked at.
package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is what all tests of this package share; each has a namespace of its
// own in it.
var system struct {
	*stack.Stack
	traces *collector.Collector
}

func TestMain(m *testing.M) {
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	assets, err := controlplane.Locate()
	if err != nil {
		return 1, err
	}
	system.traces, err = collector.Start()
	if err != nil {
		return 1, err
	}
	defer system.traces.Close()
	var log recording.Log // to be shown when a test has failed
	system.Stack, err = stack.Start(ctx, stack.Options{
		Assets: assets,
		HandlerEnv: []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + system.traces.Endpoint(),
			"OTEL_BSP_SCHEDULE_DELAY=100", // ms; so that tests need not wait for the default of 5 s
		},
		Observability: map[string]string{
			"tracing-protocol":      "http/protobuf",
			"tracing-endpoint":      system.traces.Endpoint() + "/v1/traces",
			"tracing-sampling-rate": "1",
		},
		HandlerLog: &log,
	})
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := system.Stop(); stopErr != nil {
			code, err = 1, stopErr
		}
	}()
	if code = m.Run(); code != 0 {
		fmt.Fprintf(os.Stderr, "the handler's log:\n%s", log.String())
	}
	return code, nil
}
