package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What cannot be read is never done without: nothing is sent then.
func TestT05WhatCannotBeTrustedOrShownStopsTelemetryAndNothingElse(t *testing.T) {
	ca, path := authority(t)
	for name, tc := range map[string]struct {
		settings  string
		variables map[string]string
		reason    string
	}{
		"a malformed bundle": {
			"trust: {files: [" + written(t, "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\njunk\n") + "]}\n", nil,
			"line 4, after block 1: something stands outside the blocks",
		},
		"a ConfigMap that is not there": {
			"trust: {configMaps: [{name: authorities, key: ca.crt}]}\n", nil, "ConfigMap default/authorities",
		},
		"a client certificate that is not there": {
			"", map[string]string{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/nonexistent/tls.crt", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/nonexistent/tls.key"},
			"/nonexistent/tls.crt",
		},
		"a secret that is not there": {
			"telemetry: {oauth2: {tokenURL: 'https://127.0.0.1:1', clientID: a, clientSecretFile: /nonexistent/secret}}\n", nil,
			"telemetry.oauth2.clientSecretFile: open /nonexistent/secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := secured(t, ca)
			variables := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint(), "OTEL_EXPORTER_OTLP_CERTIFICATE": path}
			for variable, value := range tc.variables {
				variables[variable] = value
			}
			o := observeWith(t, noSweep+tc.settings, variables)
			o.stop()
			checkLoss(t, o.losses(), tc.reason)
			if spans := c.Spans(); len(spans) > 0 {
				t.Errorf("the collector has got %d spans, want none", len(spans))
			}
		})
	}
}

func TestAnAuthorityThatIsReplacedIsTrustedWithoutARestart(t *testing.T) {
	_, path := authority(t)
	ca, right := authority(t)
	c := secured(t, ca)
	o := observeWith(t, noSweep+"trust: {files: ["+path+"]}\n", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()})
	await(t, o.lines, "telemetry is lost")
	text, err := os.ReadFile(right)
	if err != nil {
		t.Fatal(err)
	}
	// As a mounted ConfigMap changes: at once.
	if err := os.Rename(written(t, string(text)), path); err != nil {
		t.Fatal(err)
	}
	if got := <-sendCertificate(t, o.url); got != http.StatusNoContent {
		t.Errorf("the second event was answered %d, want 204", got)
	}
	o.stop()
	if len(c.Spans()) == 0 {
		t.Error("no span has come after the authority was replaced")
	}
}

// tokens is a token endpoint that fails once, and a backend that refuses the
// first token that it is shown.
type tokens struct {
	url     string
	asked   atomic.Int32
	refused atomic.Int32
	strange atomic.Int32 // requests without a token of ours
}

func startTokens(t *testing.T, ca *collector.Authority, backend string) *tokens {
	t.Helper()
	target, err := url.Parse(backend)
	if err != nil {
		t.Fatal(err)
	}
	s, forward := &tokens{}, httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case r.URL.Path == "/token":
			s.issue(w, r)
		case token == "token-1":
			s.refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
		case !strings.HasPrefix(token, "token-"):
			s.strange.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			forward.ServeHTTP(w, r)
		}
	}))
	if server.TLS, err = ca.Server(); err != nil {
		t.Fatal(err)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *tokens) issue(w http.ResponseWriter, r *http.Request) {
	if user, password, ok := r.BasicAuth(); !ok || user != "handler" || password != "hidden" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	n := s.asked.Add(1)
	if n == 1 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":3600}`, n-1)
}

func TestABackendThatWantsATokenGetsOneOverTheSameTrust(t *testing.T) {
	ca, path := authority(t)
	c := startCollector(t, collector.Options{})
	s := startTokens(t, ca, c.Endpoint())
	o := observeWith(t, noSweep+fmt.Sprintf("trust: {files: [%s]}\ntelemetry: {oauth2: {tokenURL: '%s/token', clientID: handler, clientSecretFile: %s}}\n",
		path, s.url, written(t, "hidden\n")), map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": s.url + "/v1/traces"})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.Wait(ctx, func(trace collector.Trace) bool { return len(trace.Spans) == len(spansOfAnEvent) }); err != nil {
		t.Error(err)
	}
	o.stop()
	if s.refused.Load() == 0 || s.strange.Load() > 0 {
		t.Errorf("%d requests with the first token and %d with none of ours, want the former and not the latter", s.refused.Load(), s.strange.Load())
	}
	for line := range o.lines {
		if text := fmt.Sprintf("%+v", line); strings.Contains(text, "hidden") || strings.Contains(text, "token-") {
			t.Errorf("the log tells a secret: %s", text)
		}
	}
}

func TestATokenIsSentByHTTPSAlone(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
	t.Setenv("KUBECONFIG", kubeconfig(t, nowhere))
	var says strings.Builder
	text := noSweep + "telemetry: {oauth2: {tokenURL: 'https://127.0.0.1:1', clientID: a, clientSecretFile: /nonexistent}}\n"
	if code := command(t.Context(), []string{"-config", settings(t, text)}, io.Discard, &says); code != 1 || !strings.Contains(says.String(), "a token is sent by https alone") {
		t.Errorf("the process left with %d and says %s, want 1 and why", code, says.String())
	}
}

func TestASinkIsTrustedByWhatTheSinkBindingSays(t *testing.T) {
	ca, path := authority(t)
	bundle, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan string, 10)
	sink := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived <- r.Header.Get("Ce-Type") }))
	if sink.TLS, err = ca.Server(); err != nil {
		t.Fatal(err)
	}
	sink.StartTLS()
	defer sink.Close()
	o := observe(t, map[string]string{"K_SINK": sink.URL, "K_CA_CERTS": string(bundle)})
	select {
	case got := <-arrived:
		if want := "io.gateway-cert-operator.gateway.reconciled"; got != want {
			t.Errorf("an event of type %s has come, want %s", got, want)
		}
	case <-time.After(patience):
		t.Error("no event has come")
	}
	o.stop()
}
