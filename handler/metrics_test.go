package handler_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// counting is a Handler whose events are counted.
func counting(r handler.Reconciler) (*handler.Handler, sdkmetric.Reader) {
	reader := sdkmetric.NewManualReader()
	return handler.New(handler.Options{
		Reconciler: r, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler),
		Metrics: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
	}), reader
}

// counted is "type outcome code: number" for each kind of event.
func counted(t *testing.T, reader sdkmetric.Reader) []string {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != "gateway_cert.events" {
				t.Errorf("there is an instrument %s", m.Name)
			}
			for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
				if p.Attributes.Len() != 3 {
					t.Errorf("attributes are %s, want three", p.Attributes.Encoded(nil))
				}
				value := func(key string) string {
					for _, a := range p.Attributes.ToSlice() {
						if string(a.Key) == key {
							return a.Value.String()
						}
					}
					return "?"
				}
				lines = append(lines, fmt.Sprintf("%s %s %s: %d",
					value("cloudevents.event_type"), value("gateway_cert.event.outcome"), value("http.response.status_code"), p.Value))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func endingIn(verdicts ...reconcile.Verdict) *recorder {
	r := &recorder{}
	for _, verdict := range verdicts {
		r.outcomes = append(r.outcomes, reconcile.Outcome{Verdict: verdict})
	}
	return r
}

func TestEachEventIsCountedByWhatCameOfIt(t *testing.T) {
	const add = "dev.knative.apiserver.resource.add"
	shared := endingIn(reconcile.Patched)
	shared.outcomes[0].Shared = true
	sharedFailure := endingIn(reconcile.TryAgain)
	sharedFailure.outcomes[0].Shared = true
	strange := baseEvent(t)
	strange.SetType("com.example." + strings.Repeat("x", 100))
	pod := baseEvent(t)
	pod.SetExtension("kind", "Pod")
	nameless := baseEvent(t)
	nameless.SetExtension("name", nil)
	garbage := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{"))
	for name, tc := range map[string]struct {
		reconciler handler.Reconciler
		request    *http.Request
		want       []string
	}{
		"a patch":                       {endingIn(reconcile.Patched), fixture(t, "certificate-add"), []string{add + " Patched 204: 1"}},
		"nothing to do":                 {endingIn(reconcile.Unchanged), fixture(t, "certificate-add"), []string{add + " Unchanged 204: 1"}},
		"a dry run beside a pause":      {endingIn(reconcile.Paused, reconcile.DryRun), fixture(t, "certificate-add"), []string{add + " DryRun 204: 1"}},
		"an echo":                       {endingIn(reconcile.Covered), fixture(t, "gateway-update"), []string{"dev.knative.apiserver.resource.update Covered 204: 1"}},
		"no Gateway":                    {endingIn(), fixture(t, "certificate-add"), []string{add + " NoGateway 204: 1"}},
		"a shared run":                  {shared, fixture(t, "certificate-add"), []string{add + " Shared 204: 1"}},
		"a shared run that fails":       {sharedFailure, fixture(t, "certificate-add"), []string{add + " TryAgain 503: 1"}},
		"the gravest of several":        {endingIn(reconcile.Patched, reconcile.Refused, reconcile.Unchanged), fixture(t, "certificate-add"), []string{add + " Refused 204: 1"}},
		"an unknown verdict":            {endingIn("Odd"), fixture(t, "certificate-add"), []string{add + " TryAgain 503: 1"}},
		"it cannot be told":             {&recorder{err: errors.New("x")}, fixture(t, "certificate-add"), []string{add + " TryAgain 503: 1"}},
		"a panic":                       {&fragile{values: []any{"boom"}}, fixture(t, "certificate-add"), []string{add + " TryAgain 503: 1"}},
		"a sweep":                       {endingIn(reconcile.Unchanged, reconcile.Patched), ping(t), []string{"dev.knative.sources.ping Patched 204: 1"}},
		"a kind that is not ours":       {endingIn(), binaryRequest(t, pod), []string{add + " Ignored 204: 1"}},
		"a type that is not ours":       {endingIn(), binaryRequest(t, strange), []string{"other Ignored 204: 1"}},
		"an event without a name":       {endingIn(), binaryRequest(t, nameless), []string{add + " Malformed 400: 1"}},
		"a request that is no event":    {endingIn(), garbage, []string{"other Malformed 400: 1"}},
		"a panic while reading":         {endingIn(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", panickingBody{}), []string{"other TryAgain 503: 1"}},
		"a batch":                       {endingIn(reconcile.Patched), batchRequest(t, baseEvent(t), pod), []string{add + " Ignored 204: 1", add + " Patched 204: 1"}},
		"a probe":                       {endingIn(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", nil), nil},
		"a method that nobody supports": {endingIn(), httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", nil), nil},
	} {
		t.Run(name, func(t *testing.T) {
			h, reader := counting(tc.reconciler)
			if tc.request.Body == nil { // never so on a server
				tc.request.Body = http.NoBody
			}
			h.ServeHTTP(httptest.NewRecorder(), tc.request)
			if diff := cmp.Diff(tc.want, counted(t, reader)); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARefusedSenderIsCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		authenticator authenticator
		want          string
	}{
		"nobody":       {authenticator{}, "other Unauthenticated 401: 1"},
		"somebody":     {authenticator{says: authn.Identity{Username: "somebody"}}, "other Forbidden 403: 1"},
		"who can tell": {authenticator{err: errors.New("x")}, "other TryAgain 503: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			h, reader := counting(&recorder{})
			h.TakeFrom(senders(&tc.authenticator))
			request := fixture(t, "certificate-add").WithContext(t.Context())
			request.Header.Set("Authorization", "Bearer a")
			h.ServeHTTP(httptest.NewRecorder(), request)
			if diff := cmp.Diff([]string{tc.want}, counted(t, reader)); diff != "" {
				t.Errorf("counted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARequestThatIsTurnedAwayIsCounted(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	h, reader := counting(handleFunc(func(context.Context) { entered <- struct{}{}; <-leave }))
	server := httptest.NewServer(h)
	defer server.Close()
	answered := make(chan []int, 1)
	go func() { answered <- sendAll(t, server.URL, maxInFlight) }()
	for range maxInFlight {
		<-entered
	}
	h.ServeHTTP(httptest.NewRecorder(), fixture(t, "certificate-add").WithContext(t.Context()))
	if diff := cmp.Diff([]string{"other Overloaded 503: 1"}, counted(t, reader)); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
	close(leave)
	<-answered
}
