package controlplane_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

const grace = 5 * time.Second

func TestProcessReportsItsExitCode(t *testing.T) {
	p := startShell(t, controlplane.ProcessOptions{}, "exit 7")
	code, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if code != 7 {
		t.Errorf("the exit code is %d, not 7", code)
	}
}

func TestProcessPassesOnItsLines(t *testing.T) {
	var lines bytes.Buffer
	p := startShell(t, controlplane.ProcessOptions{Output: &lines}, "echo one; echo two >&2; printf three")
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lines.String() != "one\ntwo\nthree\n" {
		t.Errorf("the output is %q", lines.String())
	}
}

func TestProcessInheritsNoEnvironment(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "developer")
	var lines bytes.Buffer
	p := startShell(t, controlplane.ProcessOptions{Output: &lines, Env: []string{"GIVEN=yes"}}, `echo "$GIVEN$OTEL_SERVICE_NAME"`)
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lines.String() != "yes\n" {
		t.Errorf("the output is %q", lines.String())
	}
}

func TestProcessMayFinishOnSIGTERM(t *testing.T) {
	var lines bytes.Buffer
	p := startShell(t, controlplane.ProcessOptions{Output: &lines}, "trap 'echo finished; exit 0' TERM; echo ready; while :; do sleep 0.05; done")
	time.Sleep(200 * time.Millisecond)
	if err := p.Stop(grace); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(lines.String(), "finished\n") {
		t.Errorf("the output is %q", lines.String())
	}
}

func TestProcessThatIgnoresSIGTERMIsKilled(t *testing.T) {
	p := startShell(t, controlplane.ProcessOptions{}, "trap '' TERM; while :; do sleep 0.05; done")
	time.Sleep(200 * time.Millisecond)
	err := p.Stop(100 * time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "it had to be killed") {
		t.Errorf("the error is %v", err)
	}
}

func TestStoppingAnEndedProcessDoesNothing(t *testing.T) {
	p := startShell(t, controlplane.ProcessOptions{}, "exit 0")
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(grace); err != nil {
		t.Error(err)
	}
}

func TestWaitingForAProcessEndsWithTheContext(t *testing.T) {
	p := startShell(t, controlplane.ProcessOptions{}, "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx); err == nil {
		t.Error("Wait returned while the process runs")
	}
}

func TestProcessThatCannotStartIsNamed(t *testing.T) {
	_, err := controlplane.StartProcess(controlplane.ProcessOptions{Name: "handler", Path: "/nonexistent"})
	if err == nil || !strings.Contains(err.Error(), "start handler") {
		t.Errorf("the error is %v", err)
	}
}

// startShell starts a shell with the script and ends it with the test.
func startShell(t *testing.T, opts controlplane.ProcessOptions, script string) *controlplane.Process {
	t.Helper()
	opts.Name, opts.Path, opts.Args = "script", "/bin/sh", []string{"-c", script}
	p, err := controlplane.StartProcess(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(grace) })
	return p
}
