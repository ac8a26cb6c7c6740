package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// nowhere is an API server that is not there.
const nowhere = "https://127.0.0.1:1"

func TestCommandLeavesWithACodeAndAReason(t *testing.T) {
	// With these it would listen, and the test hang.
	reachable := map[string]string{"KUBECONFIG": kubeconfig(t, nowhere), "PORT": "127.0.0.1:0"}
	for _, tc := range []struct {
		name string
		args []string
		env  map[string]string
		code int
		says string
	}{
		{"help", []string{"-help"}, nil, 0, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"an unknown flag", []string{"-nonsense"}, nil, 2, "-nonsense"},
		{"a settings file that is not there", []string{"-config", "/nonexistent"}, reachable, 1, "/nonexistent"},
		{"a settings file that cannot be obeyed", []string{"-config", settings(t, "kind: HandlerConfig\n")}, reachable, 1, "apiVersion"},
		{"a debug address for everybody", []string{"-debug-address", "0.0.0.0:0"}, reachable, 1, "127.0.0.1:PORT"},
		{"an argument", []string{"nonsense"}, nil, 2, "nonsense"},
		{"no API server", nil, nil, 1, "KUBECONFIG is not set"},
		{"a kubeconfig that is not there", nil, map[string]string{"KUBECONFIG": "/nonexistent"}, 1, "/nonexistent"},
		{"a port that is none", nil, map[string]string{"KUBECONFIG": kubeconfig(t, nowhere), "PORT": "70000"}, 1, `PORT \"70000\"`},
		{"a telemetry variable that cannot be obeyed", nil, map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, 1, "OTEL_TRACES_EXPORTER"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, variable := range []string{"KUBECONFIG", "PORT", "OTEL_TRACES_EXPORTER", "KUBERNETES_SERVICE_HOST"} {
				t.Setenv(variable, tc.env[variable])
			}
			var stderr bytes.Buffer
			if got := command(t.Context(), tc.args, io.Discard, &stderr); got != tc.code {
				t.Errorf("exit code = %d, want %d", got, tc.code)
			}
			if !strings.Contains(stderr.String(), tc.says) {
				t.Errorf("it says %q, want that to name %s", stderr.String(), tc.says)
			}
		})
	}
}

func TestVersionIsPrinted(t *testing.T) {
	var stdout bytes.Buffer
	if code := command(t.Context(), []string{"-version"}, &stdout, io.Discard); code != 0 || stdout.String() == "\n" {
		t.Errorf("-version left with %d and printed %q", code, stdout.String())
	}
}

func TestTheProcessAnswersProbesUntilItIsStopped(t *testing.T) {
	file := settings(t, "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\n")
	for name, tc := range map[string]struct {
		args     []string
		settings string
	}{
		"without settings": {nil, ""},
		"with settings":    {[]string{"-config", file}, file},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", kubeconfig(t, nowhere))
			t.Setenv("PORT", "127.0.0.1:0")
			ctx, stop := context.WithCancel(t.Context())
			log, logs := io.Pipe()
			done := make(chan int, 1)
			go func() { done <- command(ctx, tc.args, io.Discard, logs); _ = logs.Close() }()

			var line struct{ Msg, Address, Version, Settings string }
			decoder := json.NewDecoder(log)
			if err := decoder.Decode(&line); err != nil || line.Msg != "listening" || line.Version == "" || line.Settings != tc.settings {
				t.Fatalf("the first line is %+v, %v; want listening with a version and settings %q", line, err, tc.settings)
			}
			go func() { _, _ = io.Copy(io.Discard, log) }()
			client := http.Client{Timeout: 5 * time.Second}
			response, err := client.Get("http://" + line.Address + "/healthz")
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("GET /healthz = %d, want 200", response.StatusCode)
			}
			stop()
			if code := <-done; code != 0 {
				t.Errorf("exit code = %d, want 0", code)
			}
		})
	}
}

func settings(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
