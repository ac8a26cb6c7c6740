// Package overlays tests what the overlays in knative/examples make of the sources,
// with Knative's real adapters configured by them.
package overlays

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
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
	var log recording.Log // to be shown when a test has failed
	system.ctx = ctx
	system.Stack, err = stack.Start(ctx, stack.Options{Assets: assets, Manifests: singleSource, HandlerLog: &log, AdapterLog: &system.log})
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
