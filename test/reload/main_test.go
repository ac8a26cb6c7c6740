// Package reload tests settings that change while the product runs: a ConfigMap's
// volume is swapped below the handler's process, with the real API server and
// Knative's real adapters around it.
package reload

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
	"gateway-cert-operator.io/gateway-cert-handler/test/volume"
)

const configMap = "gateway-cert-settings"

// system is what the tests share, so that none is parallel: each leaves valid
// settings in force.
var system struct {
	*stack.Stack
	settings *volume.Volume
	signals  *collector.Collector
	log      recording.Log
}

func TestMain(m *testing.M) { stack.Exit(runAll(m)) }

func runAll(m *testing.M) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	directory, err := os.MkdirTemp("", "reload-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(directory)
	if system.settings, err = volume.New(directory, "config.yaml"); err != nil {
		return 1, err
	}
	if err = system.settings.Write(versionOf(1)); err != nil {
		return 1, err
	}
	if system.signals, err = collector.Start(); err != nil {
		return 1, err
	}
	defer system.signals.Close()
	return stack.With(ctx, stack.Options{
		HandlerArgs: []string{"-config", system.settings.File(), "-config-map", configMap},
		HandlerEnv:  []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + system.signals.Endpoint(), "OTEL_METRIC_EXPORT_INTERVAL=200"},
		HandlerLog:  &system.log,
	}, func(s *stack.Stack) int {
		system.Stack = s
		return m.Run()
	})
}

const (
	// firstPort is below the port of version 0.
	firstPort = 2000
	label     = "version"
)

// versionOf are settings that say the same thing twice, so that a Gateway shows
// where two versions have been mixed: a port, and routes of namespaces with a
// label. Only those of a version above 0 are valid.
func versionOf(n int) string {
	port := firstPort + n
	if n <= 0 {
		port = n
	}
	return fmt.Sprintf("apiVersion: %s\nkind: %s\ndefaults:\n  listenerPort: %d\n  allowedRoutes: 'Selector: %s=v%d'\n",
		config.APIVersion, config.Kind, port, label, n)
}
