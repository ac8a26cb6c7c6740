package handler_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

var edge = types.NamespacedName{Namespace: "default", Name: "edge"}

func TestD03AMissingGatewayIsAnswered204WithOneWarning(t *testing.T) {
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{{Gateway: edge, Verdict: reconcile.GatewayMissing, Attempts: 1}}})
	if got := send(t, server.Server, fixture(t, "certificate-add")).StatusCode; got != http.StatusNoContent {
		t.Errorf("status = %d, want 204", got)
	}
	if lines := server.log.lines(t); len(lines) != 1 || lines[0].Level != "WARN" || lines[0].Gateway != edge.String() {
		t.Errorf("the log is %+v, want one warning of Gateway %s", lines, edge)
	}
}

func TestD04ADeletedCertificateIsAChangeOfItsGateway(t *testing.T) {
	e := baseEvent(t)
	e.SetType("dev.knative.apiserver.resource.delete")
	r := &recorder{}
	if got := send(t, serve(t, r), binaryRequest(t, e)).StatusCode; got != http.StatusNoContent {
		t.Errorf("status = %d, want 204", got)
	}
	if len(r.changes) != 1 || r.changes[0].Operation != reconcile.Delete || r.changes[0].Object.Labels["gateway-cert-operator.io/gateway-name"] != "gw" {
		t.Errorf("changes = %+v, want one Delete that names the Gateway", r.changes)
	}
}

// None is answered before all are there, so that they can share a run.
func TestD09TwentyEventsAreWorkedOnSideBySide(t *testing.T) {
	const events = 20
	var meet sync.WaitGroup
	meet.Add(events)
	server := serve(t, handleFunc(func(context.Context) { meet.Done(); meet.Wait() }))
	for i, got := range sendAll(t, server.URL, events) {
		if got != http.StatusNoContent {
			t.Errorf("event %d: status = %d, want 204", i, got)
		}
	}
}

// sendAll sends a Certificate's add so many times at once and returns the
// status codes.
func sendAll(t *testing.T, url string, times int) []int {
	t.Helper()
	codes := make([]int, times)
	var group sync.WaitGroup
	for i := range codes {
		request := binaryRequest(t, baseEvent(t)).WithContext(t.Context())
		group.Go(func() { codes[i] = statusOf(url, request) })
	}
	group.Wait()
	return codes
}

// statusOf is 0 where there is no answer. It is for goroutines, which cannot
// fail a test.
func statusOf(url string, request *http.Request) int {
	out, err := http.NewRequestWithContext(request.Context(), request.Method, url, request.Body)
	if err != nil {
		return 0
	}
	out.Header = request.Header
	response, err := http.DefaultClient.Do(out)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestD12TriesThatWereInVainAreTriedAgainByTheSender(t *testing.T) {
	for name, tc := range map[string]struct {
		outcome reconcile.Outcome
		status  int
		level   string
	}{
		"three and then applied": {reconcile.Outcome{Verdict: reconcile.Patched, Attempts: 4}, http.StatusNoContent, "INFO"},
		"for ever":               {reconcile.Outcome{Verdict: reconcile.TryAgain, Attempts: 5, Err: errors.New("outdated")}, http.StatusServiceUnavailable, "ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			server := watched(t, &recorder{outcomes: []reconcile.Outcome{tc.outcome}})
			response := send(t, server.Server, fixture(t, "certificate-add"))
			if response.StatusCode != tc.status || (response.Header.Get("Retry-After") != "") != (tc.status == http.StatusServiceUnavailable) {
				t.Errorf("status = %d with Retry-After %q, want %d", response.StatusCode, response.Header.Get("Retry-After"), tc.status)
			}
			if lines := server.log.lines(t); len(lines) != 1 || lines[0].Level != tc.level || lines[0].Attempts != tc.outcome.Attempts {
				t.Errorf("the log is %+v, want one line of level %s that tells %d attempts", lines, tc.level, tc.outcome.Attempts)
			}
		})
	}
}
