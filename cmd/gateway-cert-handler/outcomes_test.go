package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// startSink takes events until the test ends.
func startSink(t *testing.T) (string, <-chan event.Event) {
	t.Helper()
	got := make(chan event.Event, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := cehttp.NewEventFromHTTPRequest(r)
		if err != nil {
			t.Errorf("read the event: %v", err)
			return
		}
		got <- *e
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func TestWhatASinkBindingInjectsIsObeyed(t *testing.T) {
	sink, got := startSink(t)
	t.Setenv("K_SINK", sink)
	t.Setenv("K_CE_OVERRIDES", `{"extensions":{"team":"platform"}}`)
	url, _, stop, done := startHere(t, newStandIn(t, "", ""), "-config", settings(t, noSweep))
	if code := <-sendCertificate(t, url); code != http.StatusNoContent {
		t.Errorf("the event was answered %d, want 204", code)
	}
	e := <-got
	if e.Type() != knative.GatewayReconciled || e.Subject() != "default/gw" || e.Extensions()["team"] != "platform" ||
		e.Extensions()["causationid"] != "01eb5329-7545-46fb-bd1e-7a52e0207563" {
		t.Errorf("the sink got\n%s", e)
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
}

// The patch is held up until the process has been told to stop.
func TestAProcessThatStopsSendsItsLastOutcomes(t *testing.T) {
	sink, got := startSink(t)
	t.Setenv("K_SINK", sink)
	apiServer := newStandIn(t, http.MethodPatch, "/gateways/gw")
	url, lines, stop, done := startHere(t, apiServer, "-config", settings(t, noSweep))
	answered := sendCertificate(t, url)
	<-apiServer.arrived
	stop()
	await(t, lines, "stopping; requests under way are finished first")
	apiServer.letGo()
	if code := <-answered; code != http.StatusNoContent {
		t.Errorf("the event was answered %d, want 204", code)
	}
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
	select {
	case e := <-got:
		if e.Type() != knative.GatewayReconciled {
			t.Errorf("the sink got\n%s", e)
		}
	default:
		t.Error("the process has left without sending the outcome")
	}
}

func TestASinkThatIsAwayFailsNobody(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	t.Setenv("K_SINK", server.URL)
	url, lines, stop, done := startHere(t, newStandIn(t, "", ""), "-config", settings(t, noSweep))
	if code := <-sendCertificate(t, url); code != http.StatusNoContent {
		t.Errorf("the event was answered %d, want 204", code)
	}
	stop()
	await(t, lines, "outcomes were not delivered")
	if code := <-done; code != 0 {
		t.Errorf("exit code = %d, want 0", code)
	}
}

func TestTheSettingsHaveAnAnswerCarryAnOutcome(t *testing.T) {
	url := start(t, kubeconfig(t, newStandIn(t, "", "").url), settings(t, noSweep+"outcomes:\n  reply: true\n"))
	if code := <-sendCertificate(t, url); code != http.StatusOK {
		t.Errorf("the event was answered %d, want 200", code)
	}
}

func TestASinkThatCannotBeUsedEndsTheProcessAtItsStart(t *testing.T) {
	t.Setenv("KUBECONFIG", kubeconfig(t, nowhere))
	t.Setenv("PORT", "127.0.0.1:0")
	for variable, value := range map[string]string{"K_SINK": "sink.example.com", "K_CE_OVERRIDES": "team=platform"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv("K_SINK", "http://sink.example.com")
			t.Setenv(variable, value)
			var stderr bytes.Buffer
			if code := command(t.Context(), nil, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), variable) {
				t.Errorf("exit code = %d and it says %q, want 1 and a line that names %s", code, stderr.String(), variable)
			}
		})
	}
}
