package main

import (
	"log/slog"
	"sync/atomic"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
)

// sequence has one snapshot in force after the other.
type sequence struct{ now atomic.Pointer[snapshot] }

func (s *sequence) set(t *testing.T, settings config.HandlerConfig) {
	t.Helper()
	built, err := build(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	s.now.Store(&live.Snapshot[parts]{Settings: settings, Built: built})
}

func TestAClientFollowsTheSettings(t *testing.T) {
	b := startBackend(t, false)
	var settings sequence
	settings.set(t, config.HandlerConfig{})
	out := newOutgoing(t.Context(), settings.now.Load, slog.New(slog.DiscardHandler))
	t.Cleanup(out.close)
	c := signals(b.URL)[0]
	client, err := out.forTelemetry(c)
	if err != nil {
		t.Fatal(err)
	}
	reaches := func() bool {
		response, err := client.Get(c.Endpoint)
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil
	}
	if reaches() {
		t.Error("a backend whose authority nobody has named is trusted")
	}
	settings.set(t, b.settings(t))
	if !reaches() || b.grants.Load() != 1 {
		t.Errorf("with its authority and an account there were %d grants, want the backend reached with one", b.grants.Load())
	}
	settings.set(t, config.HandlerConfig{})
	if reaches() {
		t.Error("the backend is trusted still")
	}
}

func TestAnAccountForABackendWithoutTLSIsRefusedWheneverItComes(t *testing.T) {
	b := startBackend(t, false)
	out := newOutgoing(t.Context(), following(t, config.HandlerConfig{}), slog.New(slog.DiscardHandler))
	t.Cleanup(out.close)
	p := &process{out: out}
	if _, err := p.build(t.Context(), b.settings(t)); err != nil {
		t.Errorf("before anything is sent: %v", err)
	}
	if _, err := out.forTelemetry(signals("http://collector.example:4318")[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := p.build(t.Context(), b.settings(t)); err == nil {
		t.Error("new settings with telemetry.oauth2 are taken beside an http endpoint")
	}
}
