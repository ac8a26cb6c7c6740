package handshake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/peers"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// wantedVariable has these tests run: the peers take minutes to build, so tests
// in general go without them.
const wantedVariable = "HANDSHAKE"

// system is what all tests of this package share; each has namespaces of its own
// in it.
var system struct {
	*stack.Stack
	peers  *peers.Peers
	client *Client
	traces *collector.Collector
}

func TestMain(m *testing.M) {
	if os.Getenv(wantedVariable) != "1" {
		os.Exit(m.Run())
	}
	stack.Exit(runAll(m))
}

// needPeers skips a test that needs them where they are not wanted.
func needPeers(t *testing.T) {
	t.Helper()
	if system.Stack == nil {
		t.Skipf("needs cert-manager and Traefik: run \"make handshake\", which builds them and sets %s=1", wantedVariable)
	}
}

func runAll(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	programs, err := peers.Build(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	if system.traces, err = collector.Start(); err != nil {
		return 1, err
	}
	defer system.traces.Close()
	options := stack.Options{
		HandlerEnv: []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + system.traces.Endpoint(),
			"OTEL_BSP_SCHEDULE_DELAY=100", // ms; so that tests need not wait for the default of 5 s
		},
		HandlerLog: &recording.Log{}, // to be shown when a test has failed
	}
	var failed error
	code, err = stack.With(ctx, options, func(s *stack.Stack) (code int) {
		system.Stack = s
		code, failed = runWithPeers(ctx, m, programs)
		return code
	})
	return code, errors.Join(failed, err)
}

// runWithPeers runs the tests between the peers' start and their end.
func runWithPeers(ctx context.Context, m *testing.M, programs peers.Programs) (code int, err error) {
	var log recording.Log
	system.peers, err = peers.Start(ctx, peers.Options{Programs: programs, Stack: system.Stack, Log: &log})
	if err != nil {
		return 1, fmt.Errorf("%w\n%s", err, log.String())
	}
	defer func() {
		if stopErr := system.peers.Stop(); stopErr != nil {
			code, err = 1, stopErr
		}
	}()
	if system.client, err = NewClient(system.peers.CA, system.peers.HTTPS); err != nil {
		return 1, err
	}
	if code = m.Run(); code != 0 {
		fmt.Fprintf(os.Stderr, "the log of cert-manager and Traefik:\n%s", log.String())
	}
	return code, nil
}
