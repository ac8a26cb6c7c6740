package handler_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// audience takes note of what it is told, and wants no answer to carry anything.
type audience struct {
	mu         sync.Mutex
	sent, told []string // Gateways, with the id of the event
	causes     []outcomes.Cause
}

func (a *audience) Send(o reconcile.Outcome, cause outcomes.Cause) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, o.Gateway.Name+" "+cause.EventID)
	a.causes = append(a.causes, cause)
}

func (a *audience) Reply(all []reconcile.Outcome, cause outcomes.Cause) *outcomes.Reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range all {
		a.told = append(a.told, o.Gateway.Name+" "+cause.EventID)
	}
	a.causes = append(a.causes, cause)
	return nil
}

func TestOthersAreToldOfEachOutcome(t *testing.T) {
	const id = " 01eb5329-7545-46fb-bd1e-7a52e0207563" // the fixture's
	for name, tc := range map[string]struct {
		outcomes   []reconcile.Outcome
		request    func(*testing.T) *http.Request
		sent, told []string
	}{
		"of one event, for its answer": {
			[]reconcile.Outcome{outcome("a", reconcile.Patched), outcome("b", reconcile.Refused)},
			func(t *testing.T) *http.Request { return fixture(t, "certificate-add") },
			nil, []string{"a" + id, "b" + id},
		},
		"of a ping": {
			[]reconcile.Outcome{outcome("a", reconcile.Patched)}, ping, nil, []string{"a 1"},
		},
		"of one that is to be sent again, without an answer": {
			[]reconcile.Outcome{outcome("a", reconcile.Patched), outcome("b", reconcile.TryAgain)},
			func(t *testing.T) *http.Request { return fixture(t, "certificate-add") },
			[]string{"a" + id, "b" + id}, nil,
		},
		"of a batch, without an answer": {
			[]reconcile.Outcome{outcome("a", reconcile.Patched)},
			func(t *testing.T) *http.Request {
				second := baseEvent(t)
				second.SetID("2")
				return batchRequest(t, baseEvent(t), second)
			},
			[]string{"a" + id, "a 2"}, nil,
		},
		"of a batch with one event for us, without an answer": {
			[]reconcile.Outcome{outcome("a", reconcile.Patched)},
			func(t *testing.T) *http.Request {
				foreign := baseEvent(t)
				foreign.SetType("com.example.thing")
				return batchRequest(t, foreign, baseEvent(t))
			},
			[]string{"a" + id}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := watched(t, &recorder{outcomes: tc.outcomes})
			a := &audience{}
			server.handler.WithOutcomes(a)
			send(t, server.Server, tc.request(t))
			if diff := cmp.Diff(tc.sent, a.sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.told, a.told); diff != "" {
				t.Errorf("for the answer (-want +got):\n%s", diff)
			}
			for _, cause := range a.causes {
				if !cause.Span.Equal(server.spans.GetSpans()[0].SpanContext) {
					t.Errorf("the cause has span %v, want the server's", cause.Span)
				}
			}
		})
	}
}

func TestOthersAreToldOfTheSweepAfterTheStartWithoutACause(t *testing.T) {
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Patched)}})
	a := &audience{}
	server.handler.WithOutcomes(a)
	server.handler.Sweep(t.Context(), handler.Start)
	if diff := cmp.Diff([]string{"a "}, a.sent); diff != "" || len(a.told) > 0 {
		t.Errorf("for an answer: %v; sent (-want +got):\n%s", a.told, diff)
	}
}

func TestOthersAreToldOfTheEventsBesideOneThatMakesForAPanic(t *testing.T) {
	r := &fragile{values: []any{"boom"}}
	r.outcomes = []reconcile.Outcome{outcome("a", reconcile.Patched)}
	server := watched(t, r)
	a := &audience{}
	server.handler.WithOutcomes(a)
	send(t, server.Server, batchRequest(t, baseEvent(t), baseEvent(t)))
	if len(a.sent) != 1 {
		t.Errorf("sent %v, want that of the second event", a.sent)
	}
}

// lateFor stands for a reconciler whose run ends after the answer.
type lateFor struct {
	recorder
	ctx context.Context
}

func (l *lateFor) Handle(ctx context.Context, change reconcile.Change) ([]reconcile.Outcome, error) {
	l.ctx = ctx
	return l.recorder.Handle(ctx, change)
}

func TestOthersAreToldOfARunThatOutlivesItsAskerWithItsCause(t *testing.T) {
	for name, tc := range map[string]struct {
		ask  func(*testing.T, *watchedServer)
		want string
	}{
		"of an event": {func(t *testing.T, s *watchedServer) { send(t, s.Server, fixture(t, "certificate-add")) }, "a 01eb5329-7545-46fb-bd1e-7a52e0207563"},
		"of a sweep":  {func(t *testing.T, s *watchedServer) { s.handler.Sweep(t.Context(), handler.Start) }, "a "},
	} {
		t.Run(name, func(t *testing.T) {
			r := &lateFor{}
			server := watched(t, r)
			a := &audience{}
			server.handler.WithOutcomes(a)
			tc.ask(t, server)
			reconcile.LateOutcome(r.ctx, outcome("a", reconcile.Patched))
			if diff := cmp.Diff([]string{tc.want}, a.sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			lines := server.log.lines(t)
			if last := lines[len(lines)-1]; last.Outcome != "Patched" || last.Gateway != "default/a" {
				t.Errorf("the log ends with %+v, want what the run came to", last)
			}
		})
	}
}

// replying has the real Sender say what an answer carries.
func replying(t *testing.T, server *watchedServer) {
	t.Helper()
	sender := outcomes.New(outcomes.Options{
		Reply: func() bool { return true }, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { sender.Close(t.Context()) })
	server.handler.WithOutcomes(sender)
}

func TestAnAnswerThatCarriesAnOutcomeIsAnEventInBinaryMode(t *testing.T) {
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Patched)}})
	replying(t, server)
	response := send(t, server.Server, fixture(t, "certificate-add"))
	if response.StatusCode != http.StatusOK || response.Header.Get("Ce-Type") != "io.gateway-cert-operator.gateway.reconciled" {
		t.Fatalf("answered %d with %v, want 200 and an event", response.StatusCode, response.Header)
	}
	e, err := cehttp.NewEventFromHTTPResponse(response)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Validate(); err != nil || e.Subject() != "default/a" || e.Extensions()["causationid"] != "01eb5329-7545-46fb-bd1e-7a52e0207563" {
		t.Errorf("the event is %v\n%s", err, e)
	}
	server.Close() // the answer may arrive before the span ends
	for _, attribute := range server.spans.GetSpans()[0].Attributes {
		if attribute.Key == "http.response.status_code" && attribute.Value.AsInt64() != http.StatusOK {
			t.Errorf("the span has status %d, want 200", attribute.Value.AsInt64())
		}
	}
}

// The event that has woken the process finds its Gateway right.
func TestAnAnswerCarriesWhatTheSweepAfterTheStartCameTo(t *testing.T) {
	r := &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Patched)}}
	server := watched(t, r)
	replying(t, server)
	server.handler.Sweep(t.Context(), handler.Start)
	r.outcomes = []reconcile.Outcome{outcome("a", reconcile.Unchanged)}
	response := send(t, server.Server, fixture(t, "certificate-add"))
	if response.StatusCode != http.StatusOK || response.Header.Get("Ce-Subject") != "default/a" || response.Header.Get("Ce-Causationid") != "" {
		t.Errorf("answered %d with %v, want 200 and the outcome that no event has caused", response.StatusCode, response.Header)
	}
}

// broken is a connection that takes a header and nothing more; unflushed is one
// that fails once it is written through.
type (
	broken    struct{ *httptest.ResponseRecorder }
	unflushed struct{ *httptest.ResponseRecorder }
)

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
func (unflushed) FlushError() error      { return errors.New("connection reset by peer") }

func TestWhatAnAnswerCouldNotCarryIsCarriedByTheNext(t *testing.T) {
	for name, connection := range map[string]http.ResponseWriter{
		"for the connection broke":            broken{httptest.NewRecorder()},
		"for the connection broke at the end": unflushed{httptest.NewRecorder()},
	} {
		t.Run(name, func(t *testing.T) {
			server := watched(t, &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Refused)}})
			replying(t, server)
			server.handler.ServeHTTP(connection, fixture(t, "certificate-add"))
			for i, want := range []int{http.StatusOK, http.StatusNoContent} {
				if got := send(t, server.Server, fixture(t, "certificate-add")).StatusCode; got != want {
					t.Errorf("answer %d behind it is %d, want %d", i+1, got, want)
				}
			}
		})
	}
}

func TestOneWhoHasLeftIsNotToldByTheAnswer(t *testing.T) {
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Patched)}})
	a := &audience{}
	server.handler.WithOutcomes(a)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	server.handler.ServeHTTP(httptest.NewRecorder(), fixture(t, "certificate-add").WithContext(ctx))
	if len(a.sent) != 1 || len(a.told) != 0 {
		t.Errorf("sent %v, and for the answer %v; want one sent", a.sent, a.told)
	}
}

func TestOtherAnswersAreEmptyAsEver(t *testing.T) {
	again := func(t *testing.T) *http.Request { return fixture(t, "certificate-add") }
	for name, tc := range map[string]struct {
		outcomes []reconcile.Outcome
		request  func(*testing.T) *http.Request
		want     int
	}{
		"nothing to tell": {[]reconcile.Outcome{outcome("a", reconcile.Unchanged)}, again, http.StatusNoContent},
		"again":           {[]reconcile.Outcome{outcome("a", reconcile.Patched), outcome("b", reconcile.TryAgain)}, again, http.StatusServiceUnavailable},
		"a batch": {[]reconcile.Outcome{outcome("a", reconcile.Patched)}, func(t *testing.T) *http.Request {
			return batchRequest(t, baseEvent(t), baseEvent(t))
		}, http.StatusNoContent},
		"what cannot be read": {nil, func(t *testing.T) *http.Request {
			e := baseEvent(t)
			e.DataEncoded = nil
			return binaryRequest(t, e)
		}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			server := watched(t, &recorder{outcomes: tc.outcomes})
			replying(t, server)
			response := send(t, server.Server, tc.request(t))
			if body, err := io.ReadAll(response.Body); response.StatusCode != tc.want || err != nil || len(body) > 0 || response.Header.Get("Ce-Type") != "" {
				t.Errorf("answered %d with %q, want %d and nothing", response.StatusCode, body, tc.want)
			}
		})
	}
}
