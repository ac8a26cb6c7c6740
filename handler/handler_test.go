package handler_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// recorder stands for the reconciler: what is tested here is how a request
// becomes changes and how outcomes become an answer, and a real reconciler
// cannot be driven to every outcome.
type recorder struct {
	mu       sync.Mutex
	changes  []reconcile.Change
	outcomes []reconcile.Outcome
	err      error
}

func (r *recorder) Handle(_ context.Context, change reconcile.Change) ([]reconcile.Outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes = append(r.changes, change)
	return r.outcomes, r.err
}

func serve(t *testing.T, r handler.Reconciler) *httptest.Server {
	t.Helper()
	return watched(t, r).Server
}

// fixture is a request as Knative's adapter sent it.
func fixture(t *testing.T, name string) *http.Request {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "test", "fixtures", "events", name+".http"))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// send sends a request to the server and returns the answer.
func send(t *testing.T, server *httptest.Server, request *http.Request) *http.Response {
	t.Helper()
	out, err := http.NewRequestWithContext(t.Context(), request.Method, server.URL+request.URL.Path, request.Body)
	if err != nil {
		t.Fatal(err)
	}
	out.Header = request.Header
	response, err := server.Client().Do(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// baseEvent is that of a Certificate's add.
func baseEvent(t *testing.T) event.Event {
	t.Helper()
	e, err := cehttp.NewEventFromHTTPRequest(fixture(t, "certificate-add"))
	if err != nil {
		t.Fatal(err)
	}
	return *e
}

func ping(t *testing.T) *http.Request {
	t.Helper()
	e := event.New()
	e.SetID("1")
	e.SetType("dev.knative.sources.ping")
	e.SetSource("/apis/v1/namespaces/gateway-cert/pingsources/sweep")
	return binaryRequest(t, e)
}

func binaryRequest(t *testing.T, e event.Event) *http.Request {
	t.Helper()
	request, err := cehttp.NewHTTPRequestFromEvent(t.Context(), "http://handler/", e)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func structuredRequest(t *testing.T, e event.Event) *http.Request {
	t.Helper()
	body, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
	request.Header.Set("Content-Type", event.ApplicationCloudEventsJSON)
	return request
}

func TestTheAdaptersOwnRequestsAreReadRightly(t *testing.T) {
	type facts struct {
		Kind      reconcile.Kind
		Operation reconcile.Operation
		Name      string
		Label     string
		Version   string
		Status    bool // whether it is handed on; only a Gateway's is looked at
	}
	for name, want := range map[string]facts{
		"certificate-add":                  {reconcile.Certificate, reconcile.Add, "my-cert", "gw", "362", false},
		"certificate-relabelled-update":    {reconcile.Certificate, reconcile.Update, "my-cert", "other", "363", false},
		"certificate-label-removed-delete": {reconcile.Certificate, reconcile.Delete, "my-cert", "other", "364", false},
		"gateway-update":                   {reconcile.Gateway, reconcile.Update, "gw", "", "367", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			if got := send(t, serve(t, r), fixture(t, name)).StatusCode; got != http.StatusNoContent {
				t.Errorf("status = %d, want 204", got)
			}
			if len(r.changes) != 1 {
				t.Fatalf("%d changes, want 1", len(r.changes))
			}
			c := r.changes[0]
			got := facts{c.Kind, c.Operation, c.Object.Name, c.Object.Labels["gateway-cert-operator.io/gateway-name"], c.Object.ResourceVersion, strings.HasPrefix(string(c.Status), `{"addresses"`)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("change (-want +got):\n%s", diff)
			}
			if c.Object.Namespace != "default" {
				t.Errorf("namespace = %q, want default", c.Object.Namespace)
			}
		})
	}
}

func TestD05APingAsksForEverything(t *testing.T) {
	r := &recorder{}
	send(t, serve(t, r), ping(t))
	if len(r.changes) != 1 || r.changes[0].Kind != reconcile.Everything {
		t.Errorf("changes = %+v, want one of kind Everything", r.changes)
	}
}

func TestD07OneEventInEachContentModeIsOneChange(t *testing.T) {
	e := baseEvent(t)
	for mode, request := range map[string]*http.Request{
		"binary":     binaryRequest(t, e),
		"structured": structuredRequest(t, e),
		"batched":    batchRequest(t, e),
	} {
		t.Run(mode, func(t *testing.T) {
			r := &recorder{}
			if got := send(t, serve(t, r), request).StatusCode; got != http.StatusNoContent {
				t.Errorf("status = %d, want 204", got)
			}
			if len(r.changes) != 1 {
				t.Errorf("%d changes, want 1", len(r.changes))
			}
		})
	}
}

func batchRequest(t *testing.T, events ...event.Event) *http.Request {
	t.Helper()
	request, err := cehttp.NewHTTPRequestFromEvents(t.Context(), "http://handler/", events)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestAnEventIsTakenOnAnyPath(t *testing.T) {
	for _, path := range []string{"/", "/events", "//a/../b//", "/healthz"} {
		request := structuredRequest(t, baseEvent(t))
		request.URL.Path = path
		r, response := &recorder{}, httptest.NewRecorder()
		handler.New(handler.Options{Reconciler: r, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)}).ServeHTTP(response, request)
		if response.Code != http.StatusNoContent || len(r.changes) != 1 {
			t.Errorf("POST %s was answered %d after %d changes, want 204 after 1", path, response.Code, len(r.changes))
		}
	}
}

func TestOtherMethodsAndPathsDoNothing(t *testing.T) {
	for request, want := range map[[2]string]int{
		{http.MethodPut, "/"}:      http.StatusMethodNotAllowed,
		{http.MethodDelete, "/"}:   http.StatusMethodNotAllowed,
		{http.MethodGet, "/debug"}: http.StatusNotFound,
	} {
		r := &recorder{}
		got := send(t, serve(t, r), httptest.NewRequestWithContext(t.Context(), request[0], request[1], nil))
		if got.StatusCode != want || len(r.changes) != 0 {
			t.Errorf("%s %s was answered %d after %d changes, want %d after none", request[0], request[1], got.StatusCode, len(r.changes), want)
		}
	}
}

func TestABadEventSpoilsNoBatch(t *testing.T) {
	good := baseEvent(t)
	body, err := json.Marshal([]event.Event{good, good})
	if err != nil {
		t.Fatal(err)
	}
	body = bytes.Replace(body, []byte(good.Type()), nil, 1) // the first has no type then
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
	request.Header.Set("Content-Type", event.ApplicationCloudEventsBatchJSON)
	r := &recorder{}
	if got := send(t, serve(t, r), request).StatusCode; got != http.StatusBadRequest {
		t.Errorf("status = %d, want 400", got)
	}
	if len(r.changes) != 1 {
		t.Errorf("%d changes, want that of the good event", len(r.changes))
	}
}

// cutOff is a body whose sender goes away in the midst of it.
type cutOff struct{ io.Reader }

func (c cutOff) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestARequestThatDoesNotArriveWholeIsAskedForAgain(t *testing.T) {
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", cutOff{strings.NewReader("{")})
	request.Header.Set("Content-Type", event.ApplicationCloudEventsJSON)
	response := httptest.NewRecorder()
	handler.New(handler.Options{Reconciler: &recorder{}, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)}).ServeHTTP(response, request)
	if response.Code != http.StatusServiceUnavailable {
		t.Errorf("status = %d, want 503", response.Code)
	}
}

func TestTheLargestObjectIsTaken(t *testing.T) {
	e := baseEvent(t)
	padding := fmt.Sprintf(`{"metadata":{"namespace":"default","name":"my-cert"},"pad":%q}`, strings.Repeat("x", 3<<20-100))
	e.DataEncoded = []byte(padding)
	if got := send(t, serve(t, &recorder{}), binaryRequest(t, e)).StatusCode; got != http.StatusNoContent {
		t.Errorf("status = %d for a body of 3 MiB, want 204", got)
	}
}

func TestTheWorkForARequestIsBounded(t *testing.T) {
	var left time.Duration
	h := handler.New(handler.Options{Reconciler: handleFunc(func(ctx context.Context) {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
	}), Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)})
	h.ServeHTTP(httptest.NewRecorder(), binaryRequest(t, baseEvent(t)))
	if left <= 10*time.Second || left > 40*time.Second {
		t.Errorf("the work has %s, want more than a run's 10 s and at most 40 s", left)
	}
}

func TestD07EachEventOfABatchIsHandled(t *testing.T) {
	r := &recorder{}
	send(t, serve(t, r), batchRequest(t, baseEvent(t), baseEvent(t), baseEvent(t)))
	if len(r.changes) != 3 {
		t.Errorf("%d changes, want 3", len(r.changes))
	}
}

// Each row says how a request differs from a good one.
func TestD07WhatCannotBeReadIsAnswered400AndNothingIsDone(t *testing.T) {
	mutated := func(mutate func(*event.Event)) func(*testing.T) *http.Request {
		return func(t *testing.T) *http.Request {
			e := baseEvent(t)
			mutate(&e)
			return binaryRequest(t, e)
		}
	}
	raw := func(contentType, body string) func(*testing.T) *http.Request {
		return func(t *testing.T) *http.Request {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
			request.Header.Set("Content-Type", contentType)
			return request
		}
	}
	about := func(name, namespace string) func(*event.Event) {
		return func(e *event.Event) {
			e.SetExtension("name", name)
			e.SetExtension("namespace", namespace)
			e.DataEncoded = fmt.Appendf(nil, `{"metadata":{"name":%q,"namespace":%q}}`, name, namespace)
		}
	}
	for name, request := range map[string]func(*testing.T) *http.Request{
		"no ce-type": func(t *testing.T) *http.Request {
			r := fixture(t, "certificate-add")
			r.Header.Del("Ce-Type")
			return r
		},
		"no ce-id": func(t *testing.T) *http.Request {
			r := fixture(t, "certificate-add")
			r.Header.Del("Ce-Id")
			return r
		},
		"no event at all":             raw("text/plain", "hello"),
		"structured, not JSON":        raw(event.ApplicationCloudEventsJSON, "{"),
		"a batch that is not JSON":    raw(event.ApplicationCloudEventsBatchJSON, "["),
		"an empty batch":              raw(event.ApplicationCloudEventsBatchJSON, "[]"),
		"a body over the limit":       raw(event.ApplicationCloudEventsJSON, strings.Repeat(" ", 3<<20+1)),
		"data that is not JSON":       mutated(func(e *event.Event) { e.DataEncoded = []byte("{") }),
		"no data":                     mutated(func(e *event.Event) { e.DataEncoded = nil }),
		"no kind":                     mutated(func(e *event.Event) { e.SetExtension("kind", nil) }),
		"no name":                     mutated(func(e *event.Event) { e.SetExtension("name", nil) }),
		"an apiversion of three":      mutated(func(e *event.Event) { e.SetExtension("apiversion", "a/b/c") }),
		"data of another object":      mutated(func(e *event.Event) { e.SetExtension("name", "other") }),
		"a name that none can have":   mutated(about("my_cert", "default")),
		"a name that is a path":       mutated(about("a/b", "default")),
		"a namespace with a dot":      mutated(about("my-cert", "kube.system")),
		"data from another namespace": mutated(func(e *event.Event) { e.SetExtension("namespace", "other") }),
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			if got := send(t, serve(t, r), request(t)).StatusCode; got != http.StatusBadRequest {
				t.Errorf("status = %d, want 400", got)
			}
			if len(r.changes) != 0 {
				t.Errorf("changes = %+v, want none", r.changes)
			}
		})
	}
}

func TestD08WhatIsNoneOfOurBusinessIsAnswered204AndNothingIsDone(t *testing.T) {
	for name, mutate := range map[string]func(*event.Event){
		"an unknown type":          func(e *event.Event) { e.SetType("com.example.thing") },
		"a Reference-mode event":   func(e *event.Event) { e.SetType("dev.knative.apiserver.ref.add") },
		"kind Pod":                 func(e *event.Event) { e.SetExtension("kind", "Pod"); e.SetExtension("apiversion", "v1") },
		"a Certificate of another": func(e *event.Event) { e.SetExtension("apiversion", "networking.internal.knative.dev/v1alpha1") },
	} {
		t.Run(name, func(t *testing.T) {
			e := baseEvent(t)
			mutate(&e)
			r := &recorder{}
			if got := send(t, serve(t, r), binaryRequest(t, e)).StatusCode; got != http.StatusNoContent {
				t.Errorf("status = %d, want 204", got)
			}
			if len(r.changes) != 0 {
				t.Errorf("changes = %+v, want none", r.changes)
			}
		})
	}
}

func TestD10AnswerToEachVerdict(t *testing.T) {
	for verdict, want := range map[reconcile.Verdict]int{
		reconcile.Unchanged:      http.StatusNoContent,
		reconcile.Patched:        http.StatusNoContent,
		reconcile.Covered:        http.StatusNoContent,
		reconcile.Paused:         http.StatusNoContent,
		reconcile.DryRun:         http.StatusNoContent,
		reconcile.GatewayMissing: http.StatusNoContent,
		reconcile.Refused:        http.StatusNoContent,
		reconcile.TryAgain:       http.StatusServiceUnavailable,
		"not a verdict yet":      http.StatusServiceUnavailable,
	} {
		t.Run(string(verdict), func(t *testing.T) {
			r := &recorder{outcomes: []reconcile.Outcome{{Verdict: reconcile.Patched}, {Verdict: verdict}, {Verdict: reconcile.Unchanged}}}
			response := send(t, serve(t, r), fixture(t, "certificate-add"))
			if response.StatusCode != want {
				t.Errorf("status = %d, want %d", response.StatusCode, want)
			}
			if body, err := io.ReadAll(response.Body); err != nil || len(body) > 0 {
				t.Errorf("body = %q, %v; want it empty", body, err)
			}
			if got := response.Header.Get("Retry-After") != ""; got != (want == http.StatusServiceUnavailable) {
				t.Errorf("Retry-After is there: %v, with status %d", got, response.StatusCode)
			}
		})
	}
}

func TestD02D13WhenTheGatewaysCannotBeToldTheEventIsAskedForAgain(t *testing.T) {
	r := &recorder{err: errors.New("list: connection refused")}
	if got := send(t, serve(t, r), fixture(t, "certificate-add")).StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("status = %d, want 503", got)
	}
}

func TestD06ProbesAreAnsweredWithoutWorkOrTrace(t *testing.T) {
	for _, probe := range []struct{ method, path string }{
		{http.MethodGet, "/"}, {http.MethodGet, "/healthz"}, {http.MethodHead, "/"}, {http.MethodHead, "/healthz"},
	} {
		t.Run(probe.method+" "+probe.path, func(t *testing.T) {
			r := &recorder{}
			server := watched(t, r)
			got := send(t, server.Server, httptest.NewRequestWithContext(t.Context(), probe.method, probe.path, nil))
			if got.StatusCode != http.StatusOK {
				t.Errorf("status = %d, want 200", got.StatusCode)
			}
			if spans, lines := server.spans.GetSpans(), server.log.lines(t); len(r.changes)+len(spans)+len(lines) > 0 {
				t.Errorf("%d changes, %d spans and %d lines in the log, want nothing", len(r.changes), len(spans), len(lines))
			}
		})
	}
}

// No request, however odd, is answered with a code that Knative retries.
func FuzzRequest(f *testing.F) {
	f.Add("application/json", "dev.knative.apiserver.resource.add", []byte(`{"metadata":{"name":"a","namespace":"b"}}`))
	f.Add("application/cloudevents+json", "", []byte(`{"specversion":"1.0","id":"1","type":"t","source":"s"}`))
	f.Add("application/cloudevents-batch+json", "", []byte(`[{}]`))
	h := handler.New(handler.Options{Reconciler: &recorder{}, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, contentType, ceType string, body []byte) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(body))
		request.Header.Set("Content-Type", contentType)
		for name, value := range map[string]string{
			"Id": "1", "Specversion": "1.0", "Source": "s", "Type": ceType,
			"Kind": "Certificate", "Apiversion": "cert-manager.io/v1", "Name": "a", "Namespace": "b",
		} {
			request.Header.Set("Ce-"+name, value)
		}
		response := httptest.NewRecorder()
		h.ServeHTTP(response, request)
		if code := response.Code; code != http.StatusNoContent && code != http.StatusBadRequest {
			t.Errorf("status = %d, want 204 or 400", code)
		}
	})
}
