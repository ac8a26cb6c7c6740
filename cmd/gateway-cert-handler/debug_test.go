package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestWhatIsForDebuggingIsServedWhereItIsAskedFor(t *testing.T) {
	t.Setenv("KUBECONFIG", kubeconfig(t, newStandIn(t, "", "").url))
	t.Setenv("PORT", "127.0.0.1:0")
	ctx, stop := context.WithCancel(t.Context())
	log, logs := io.Pipe()
	lines, done := readLog(log), make(chan int, 1)
	go func() {
		done <- command(ctx, []string{"-debug-address", "127.0.0.1:0"}, io.Discard, logs)
		_ = logs.Close()
	}()
	debugging := "http://" + await(t, lines, "debugging").Address
	handling := "http://" + await(t, lines, "listening").Address
	await(t, lines, "sweep") // of the stand-in's one Gateway
	for url, want := range map[string]struct {
		code int
		says string
	}{
		debugging + "/debug/outcomes":      {http.StatusOK, "["},
		debugging + "/debug/plan/infra/gw": {http.StatusOK, `"gateway": "infra/gw"`},
		debugging + "/debug/pprof/cmdline": {http.StatusOK, ""},
		handling + "/debug/outcomes":       {http.StatusNotFound, ""},
	} {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != want.code || !strings.Contains(string(body), want.says) {
			t.Errorf("%s is answered %d %s (%v), want %d and %q in it", url, response.StatusCode, body, err, want.code, want.says)
		}
	}
	stop()
	for range lines { // the pipe would hold it up
	}
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d", code)
	}
}
