// Package faults tests the product while parts of it are stopped, killed, slow
// or doubled: the real API server, Knative's real adapters and the handler's
// process, which has the race detector on. Whatever went wrong, after the next
// sweep or event every Gateway is exactly as its Certificates ask.
//
// The tests take the one stack apart, so none of them is parallel.
package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is the stack. ctx lives longer than any test, for what a test starts
// again and leaves to the next one.
var system struct {
	*stack.Stack
	ctx context.Context
	log recording
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
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	assets, err := controlplane.Locate()
	if err != nil {
		return 1, err
	}
	system.ctx = ctx
	dir, err := os.MkdirTemp("", "faults-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	silent, err := startSettings(dir, false)
	if err != nil {
		return 1, err
	}
	system.Stack, err = stack.Start(ctx, stack.Options{Assets: assets, HandlerArgs: silent, HandlerLog: &system.log})
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := system.Stop(); stopErr != nil {
			code, err = 1, stopErr
		}
	}()
	code = m.Run()
	// A killed process has no exit code that would tell of a race.
	if log := system.log.String(); strings.Contains(log, "DATA RACE") {
		code = 1
	}
	if code != 0 {
		fmt.Fprintf(os.Stderr, "the handlers' logs:\n%s", system.log.String())
	}
	return code, nil
}

// startSettings returns the arguments of a handler that looks at everything when
// it starts, or does not. Unless a test is about that, none does: it would do the
// work of the events that the test counts or waits for.
func startSettings(dir string, sweeps bool) ([]string, error) {
	path := filepath.Join(dir, fmt.Sprintf("sweeps-%t.yaml", sweeps))
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\ndelivery:\n  sweepOnStart: %t\n", config.APIVersion, config.Kind, sweeps)
	return []string{"-config", path}, os.WriteFile(path, []byte(text), 0o600)
}

// recording keeps the handlers' logs, to be shown when a test has failed: only
// the end of them, which is what a failure is about.
type recording struct {
	mu    sync.Mutex
	lines []string
	races []string
}

const maxLines = 400

func (r *recording) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.races) > 0 || strings.Contains(string(line), "DATA RACE") {
		if len(r.races) < maxLines {
			r.races = append(r.races, string(line))
		}
	}
	r.lines = append(r.lines, string(line))
	if len(r.lines) > 2*maxLines {
		r.lines = append([]string(nil), r.lines[maxLines:]...)
	}
	return len(line), nil
}

func (r *recording) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(append(append([]string(nil), r.races...), r.lines...), "")
}
