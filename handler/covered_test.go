package handler_test

import (
	"log/slog"
	"net/http"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Of a burst most events are of this kind, and so are most status writes.
func TestACoveredEventIsAnswered204AndIsNotInTheLog(t *testing.T) {
	for level, lines := range map[slog.Level]int{slog.LevelInfo: 0, slog.LevelDebug: 1} {
		server := watchedAt(t, &recorder{outcomes: []reconcile.Outcome{{Gateway: edge, Verdict: reconcile.Covered}}}, level)
		if got := send(t, server.Server, fixture(t, "gateway-update")).StatusCode; got != http.StatusNoContent {
			t.Errorf("status = %d, want 204", got)
		}
		if got := server.log.lines(t); len(got) != lines {
			t.Errorf("at level %s the log is %+v, want %d lines", level, got, lines)
		}
	}
}

// There is no span of a run that could say so.
func TestTheServerSpanOfACoveredEventHasTheVerdict(t *testing.T) {
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{{Gateway: edge, Verdict: reconcile.Covered}}})
	send(t, server.Server, fixture(t, "gateway-update"))
	for _, attribute := range server.spans.GetSpans()[0].Attributes {
		if attribute.Key == "gateway_cert.verdict" && attribute.Value.AsString() == "Covered" {
			return
		}
	}
	t.Errorf("spans are %+v, want one with gateway_cert.verdict = Covered", server.spans.GetSpans())
}
