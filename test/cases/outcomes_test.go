package cases

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// newTelling has the scene's reconciler behind the HTTP edge, with a sink that
// gets what it tells.
func newTelling(t *testing.T, s *scene) (http.Handler, <-chan event.Event) {
	t.Helper()
	got := make(chan event.Event, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := cehttp.NewEventFromHTTPRequest(r)
		if err != nil {
			t.Errorf("read the outcome: %v", err)
			return
		}
		got <- *e
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	sink, err := url.Parse(server.URL)
	must(t, err)
	sender := outcomes.New(outcomes.Options{
		Sink: sink, Client: server.Client(), Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { sender.Close(t.Context()) })
	h := handler.New(handler.Options{
		Reconciler: s.reconciler, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler),
	})
	h.WithOutcomes(sender)
	return h, got
}

// certificateEvent is what Knative's adapter would send about the Certificate.
func (s *scene) certificateEvent(name, id, eventType string) *http.Request {
	s.t.Helper()
	e := event.New()
	e.SetID(id)
	e.SetSource("test")
	e.SetType(eventType)
	e.SetExtension(knative.ExtensionAPIVersion, "cert-manager.io/v1")
	e.SetExtension(knative.ExtensionKind, "Certificate")
	e.SetExtension(knative.ExtensionNamespace, s.Name)
	e.SetExtension(knative.ExtensionName, name)
	must(s.t, e.SetData(event.ApplicationJSON, s.certificate(name)))
	request, err := cehttp.NewHTTPRequestFromEvent(s.t.Context(), "http://handler/", e)
	must(s.t, err)
	return request
}

// toldOf has the event handled and returns what the sink is told of it.
func toldOf(t *testing.T, h http.Handler, request *http.Request, got <-chan event.Event) (event.Event, outcomes.Data) {
	t.Helper()
	response := httptest.NewRecorder()
	h.ServeHTTP(response, request)
	if response.Code != http.StatusNoContent {
		t.Fatalf("answered %d, want 204", response.Code)
	}
	e := <-got
	schema, err := jsonschema.NewCompiler().Compile("../../docs/outcome.schema.json")
	must(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Data()))
	must(t, err)
	if err := schema.Validate(value); err != nil {
		t.Errorf("the data is against its schema: %v", err)
	}
	var data outcomes.Data
	must(t, e.DataAs(&data))
	return e, data
}

func TestASinkIsToldWhatARunHasChangedAndWhatNot(t *testing.T) {
	s := newScene(t)
	h, got := newTelling(t, s)
	e, data := toldOf(t, h, s.certificateEvent(app, "first", knative.ResourceAdd), got)
	if e.Type() != knative.GatewayReconciled || e.Subject() != s.Name+"/edge" || e.Extensions()["causationid"] != "first" {
		t.Errorf("the sink was told\n%s", e)
	}
	want := outcomes.Data{
		Gateway:  outcomes.Gateway{Namespace: s.Name, Name: edge, ResourceVersion: s.Gateway(edge).ResourceVersion},
		Verdict:  "Patched",
		Attempts: 1,
		Impact:   "Additive",
		Changes: []outcomes.Change{{
			Action: "Added", Listener: "auto-app-app-example-com", Hostname: "app.example.com", Certificate: s.Name + "/app",
			Impact: "Additive", ImpactReason: "it is new",
		}},
	}
	if diff := cmp.Diff(want, data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}

	s.CreateCertificate("rival", edge, "app.example.com")
	e, data = toldOf(t, h, s.certificateEvent("rival", "second", knative.ResourceAdd), got)
	if e.Type() != knative.GatewayReconciled || data.Verdict != "Unchanged" || len(data.Rejections) != 1 || data.Rejections[0].Reason != "HostnameTaken" {
		t.Errorf("the sink was told\n%s", e)
	}
}
