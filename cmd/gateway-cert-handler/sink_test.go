package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/config/live"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// The sender knows that of statuses; here it is the client that sees them first.
func TestASinkThatAnswersWithARedirectIsAskedOnce(t *testing.T) {
	var requests atomic.Int32
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(sink.Close)
	t.Setenv("K_SINK", sink.URL)
	p := &process{logger: slog.New(slog.DiscardHandler)}
	var err error
	if p.settings, err = live.Open(t.Context(), live.Options[parts]{Load: settingsSource{}.load, Build: build}); err != nil {
		t.Fatal(err)
	}
	p.out = newOutgoing(t.Context(), p.settings.InForce, p.logger)
	t.Cleanup(p.out.close)
	if p.signals, err = telemetry.Start(t.Context(), telemetry.Options{Logger: p.logger, Client: p.out.forTelemetry}); err != nil {
		t.Fatal(err)
	}
	if p.sender, err = p.outcomeSender(); err != nil {
		t.Fatal(err)
	}
	p.sender.Send(reconcile.Outcome{Gateway: types.NamespacedName{Namespace: "infra", Name: "edge"}, Verdict: reconcile.Patched}, outcomes.Cause{})
	p.sender.Close(t.Context())
	if got := requests.Load(); got != 1 {
		t.Errorf("the sink was asked %d times, want once: a redirect is a refusal", got)
	}
}
