package main

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// startHere runs the command in this process, and returns its address and its
// log from the line "listening" on, what stops it, and its exit code to come.
func startHere(t *testing.T, apiServer *standIn, args ...string) (string, <-chan logLine, func(), <-chan int) {
	t.Helper()
	t.Setenv("KUBECONFIG", kubeconfig(t, apiServer.url))
	t.Setenv("PORT", "127.0.0.1:0")
	ctx, stop := context.WithCancel(t.Context())
	log, logs := io.Pipe()
	lines, done := readLog(log), make(chan int, 1)
	go func() { done <- command(ctx, args, io.Discard, logs); _ = logs.Close() }()
	return "http://" + await(t, lines, "listening").Address, lines, stop, done
}

func TestAProcessThatHasStartedLooksAtEverythingOnce(t *testing.T) {
	apiServer := newStandIn(t, "", "")
	_, lines, stop, done := startHere(t, apiServer)
	if line := await(t, lines, "sweep"); line.Checked != 1 || line.Failed != 0 {
		t.Errorf("the sweep is %+v, want 1 Gateway checked", line)
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
	for line := range lines {
		if line.Msg == "sweep" {
			t.Error("there was another sweep")
		}
	}
}

func TestTheSweepAfterTheStartCanBeSwitchedOff(t *testing.T) {
	apiServer := newStandIn(t, "", "")
	_, _, stop, done := startHere(t, apiServer, "-config", settings(t, noSweep))
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
	if asks := apiServer.asks.Load(); asks != 0 {
		t.Errorf("the API server was called %d times, want never", asks)
	}
}

func TestTheSweepAfterTheStartDelaysNoProbeAndIsWaitedFor(t *testing.T) {
	apiServer := newStandIn(t, http.MethodGet, "/gateways")
	url, lines, stop, done := startHere(t, apiServer)
	<-apiServer.arrived
	response, err := http.Get(url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("GET /healthz = %d during the sweep, want 200", response.StatusCode)
	}
	stop()
	await(t, lines, "stopping; requests under way are finished first")
	select {
	case <-done:
		t.Error("the process has left amid the sweep")
	default:
	}
	apiServer.letGo()
	if line := await(t, lines, "sweep"); line.Checked != 1 || line.Failed != 0 {
		t.Errorf("the sweep is %+v, want 1 Gateway checked", line)
	}
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
}

// sweepsMade returns when sweeps were made, each of which ends as done says, after
// causes that come at those times.
func sweepsMade(t *testing.T, done func(n int) bool, causes ...time.Duration) (at []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		comes := make(chan string, 1)
		for _, when := range causes {
			time.AfterFunc(when, func() { comes <- "a cause" })
		}
		sweepFor(ctx, comes, func(string) bool {
			at = append(at, time.Since(began))
			return done(len(at))
		})
	})
	return at
}

func TestASweepThatFailedIsMadeAgainAfterEverLongerPauses(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		done   func(n int) bool
		causes []time.Duration
		want   []time.Duration
	}{
		"not if it went well":      {func(int) bool { return true }, []time.Duration{s}, []time.Duration{s}},
		"until it went well":       {func(n int) bool { return n == 3 }, []time.Duration{s}, []time.Duration{s, 6 * s, 16 * s}},
		"some times":               {func(int) bool { return false }, []time.Duration{s}, []time.Duration{s, 6 * s, 16 * s, 36 * s, 76 * s}},
		"at once after a new one":  {func(n int) bool { return n > 1 }, []time.Duration{s, 2 * s}, []time.Duration{s, 2 * s}},
		"as often after a new one": {func(int) bool { return false }, []time.Duration{s, 3 * s}, []time.Duration{s, 3 * s, 8 * s, 18 * s, 38 * s, 78 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sweepsMade(t, c.done, c.causes...); !slices.Equal(got, c.want) {
				t.Errorf("sweeps at %v, want %v", got, c.want)
			}
		})
	}
}
