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
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is the stack. ctx lives longer than any test, for what a test starts
// again and leaves to the next one.
var system struct {
	*stack.Stack
	ctx context.Context
	log recording
}

func TestMain(m *testing.M) { stack.Exit(runAll(m)) }

func runAll(m *testing.M) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
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
	return stack.With(ctx, stack.Options{HandlerArgs: silent, HandlerLog: &system.log}, func(s *stack.Stack) int {
		system.Stack = s
		code := m.Run()
		// A killed process has no exit code that would tell of a race.
		if strings.Contains(system.log.String(), "DATA RACE") {
			return 1
		}
		return code
	})
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
