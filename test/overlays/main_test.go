// Package overlays tests what the overlays in knative/examples make of the sources,
// with Knative's real adapters configured by them.
package overlays

import (
	"context"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const singleSource = "knative/examples/single-source"

// system runs with the overlay singleSource. The tests change its sources and so
// run one after the other; each leaves them as they were.
var system struct {
	*stack.Stack
	ctx context.Context
	// log is the adapters'.
	log lines
}

func TestMain(m *testing.M) { stack.Exit(runAll(m)) }

func runAll(m *testing.M) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	system.ctx = ctx
	return stack.With(ctx, stack.Options{
		Manifests:  singleSource,
		HandlerLog: new(recording.Log), // to be shown when a test has failed
		AdapterLog: &system.log,
	}, func(s *stack.Stack) int {
		system.Stack = s
		return m.Run()
	})
}
