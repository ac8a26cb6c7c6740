package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// asHandler in the environment makes the test's program the handler.
const asHandler = "BE_GATEWAY_CERT_HANDLER"

func TestMain(m *testing.M) {
	if os.Getenv(asHandler) != "" {
		main()
	}
	os.Exit(m.Run())
}

// patience is far above what a process on a busy machine takes, and below the
// time that it gives requests when it stops.
const patience = 30 * time.Second

type logLine struct {
	Msg, Address, Version, Settings string
	Checked, Failed                 int
	Traces                          struct { // of "telemetry is lost"
		Lost  int
		Error string
	}
}

// readLog hands on the lines of a log, and takes all there are in any case.
func readLog(from io.Reader) <-chan logLine {
	lines := make(chan logLine, 1000)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(from); scanner.Scan(); {
			var line logLine
			if json.Unmarshal(scanner.Bytes(), &line) == nil {
				lines <- line
			}
		}
	}()
	return lines
}

// await returns the next line that says so.
func await(t *testing.T, lines <-chan logLine, msg string) logLine {
	t.Helper()
	giveUp := time.After(patience)
	for {
		select {
		case line, more := <-lines:
			switch {
			case !more:
				t.Fatalf("the log ends without %q", msg)
			case line.Msg == msg:
				return line
			}
		case <-giveUp:
			t.Fatalf("the log has no %q within %s", msg, patience)
		}
	}
}

// startProcess starts the handler as a process of its own, and returns it with
// its log from the line "listening" on.
func startProcess(t *testing.T, apiServer *standIn, args ...string) (*exec.Cmd, string, <-chan logLine) {
	t.Helper()
	ctx, kill := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	t.Cleanup(kill)
	process := exec.CommandContext(ctx, os.Args[0], args...)
	process.Env = append(os.Environ(), asHandler+"=1", "KUBECONFIG="+kubeconfig(t, apiServer.url), "PORT=127.0.0.1:0")
	out, log, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process.Stderr = log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	_ = log.Close()
	t.Cleanup(func() { kill(); _ = process.Wait(); _ = out.Close() })
	lines := readLog(out)
	return process, "http://" + await(t, lines, "listening").Address, lines
}

// sendCertificate sends the adapter's own event and hands on the status code; 0
// is no answer.
func sendCertificate(t *testing.T, url string) <-chan int {
	t.Helper()
	raw, err := os.Open(filepath.Join("..", "..", "test", "fixtures", "events", "certificate-add.http"))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.ReadRequest(bufio.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	event, err := http.NewRequestWithContext(t.Context(), request.Method, url, request.Body)
	if err != nil {
		t.Fatal(err)
	}
	event.Header = request.Header
	answered := make(chan int, 1)
	go func() {
		defer raw.Close()
		response, err := http.DefaultClient.Do(event)
		if err != nil {
			answered <- 0
			return
		}
		_ = response.Body.Close()
		answered <- response.StatusCode
	}()
	return answered
}

func terminate(t *testing.T, process *exec.Cmd) {
	t.Helper()
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

const noSweep = "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\ndelivery:\n  sweepOnStart: false\n"

func TestD11AProcessThatIsToldToStopFinishesThePatchAndLeavesWell(t *testing.T) {
	apiServer := newStandIn(t, http.MethodPatch, "/gateways/gw")
	process, url, lines := startProcess(t, apiServer, "-config", settings(t, noSweep))
	answered := sendCertificate(t, url)
	<-apiServer.arrived
	terminate(t, process)
	await(t, lines, "stopping; requests under way are finished first")
	apiServer.letGo()
	if got := <-answered; got != http.StatusNoContent {
		t.Errorf("the event was answered %d, want 204", got)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("the process left with %v, want 0", err)
	}
}

func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	apiServer := newStandIn(t, http.MethodPatch, "/gateways/gw")
	process, url, lines := startProcess(t, apiServer, "-config", settings(t, noSweep))
	answered := sendCertificate(t, url)
	<-apiServer.arrived
	terminate(t, process)
	await(t, lines, "stopping; requests under way are finished first")
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	// One that comes too soon after the first is one with it.
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for giveUp := time.After(patience); ; {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the process left with 0, want it ended by the signal")
			}
			if got := <-answered; got != 0 {
				t.Errorf("the event was answered %d, want no answer", got)
			}
			return
		case <-giveUp:
			t.Fatal("the process goes on")
		case <-again.C:
			_ = process.Process.Signal(syscall.SIGTERM) // it may have ended
		}
	}
}
