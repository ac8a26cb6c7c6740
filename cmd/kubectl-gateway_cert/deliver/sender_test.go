package deliver_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/deliver"
	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// transport answers requests; it stands for the network.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	return t(r)
}

func respond(code int, header ...string) (*http.Response, error) {
	r := &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r, nil
}

func target(t *testing.T, address, token string) deliver.Target {
	t.Helper()
	to, err := deliver.NewTarget(address, token)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func TestAnEventArrivesAsItIsWithTheToken(t *testing.T) {
	ping := deliver.Ping()
	ping.SetExtension("extra", "x")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := cehttp.NewEventFromHTTPRequest(r)
		if err != nil || e.ID() != ping.ID() || e.Type() != knative.Ping || e.Extensions()["extra"] != "x" || r.Header.Get("Authorization") != "Bearer t0ken" {
			t.Errorf("event %v, %v, with %q", e, err, r.Header.Get("Authorization"))
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	s := deliver.Sender{Target: target(t, server.URL, "t0ken")}
	if a := s.Send(t.Context(), ping); !a.Taken() || a.Code != 204 || a.Tries != 1 || a.String() != "204: done" {
		t.Errorf("answer = %+v: %s; want 204 and done", a, a)
	}
}

func TestOnly503IsTriedAgainAndAfterThePauseThatItAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name    string
		codes   []int
		after   string
		tries   int
		want    int
		wantFor time.Duration
	}{
		{"once more", []int{503, 204}, "1", 5, 204, time.Second},
		{"as long as it takes", []int{503, 503, 503, 503, 503, 503, 204}, "2", 0, 204, 12 * time.Second},
		{"given up", []int{503, 503, 503}, "1", 3, 503, 2 * time.Second},
		{"a pause that nobody would wait for", []int{503, 204}, "86400", 5, 204, 30 * time.Second},
		{"no pause named", []int{503, 204}, "soon", 5, 204, time.Second},
		{"no other code", []int{500}, "1", 5, 500, 0},
		{"nor a refusal", []int{403}, "1", 5, 403, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent, told := 0, 0
				s := deliver.Sender{Target: target(t, "http://localhost", ""), Tries: tc.tries, Again: func(deliver.Answer, time.Duration) { told++ }}
				s.Transport = transport(func(*http.Request) (*http.Response, error) {
					sent++
					return respond(tc.codes[sent-1], "Retry-After", tc.after)
				})
				start := time.Now()
				a := s.Send(t.Context(), deliver.Ping())
				if a.Code != tc.want || a.Tries != len(tc.codes) || sent != len(tc.codes) || told != len(tc.codes)-1 || time.Since(start) != tc.wantFor {
					t.Errorf("answer %+v after %s, sent %d and told %d times; want %d after %s", a, time.Since(start), sent, told, tc.want, tc.wantFor)
				}
			})
		})
	}
}

func TestTimeThatIsUpIsToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		s := deliver.Sender{Target: target(t, "http://localhost", "")}
		s.Transport = transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		if a := s.Send(ctx, deliver.Ping()); !errors.Is(a.Err, deliver.ErrNotWaitedFor) || a.Taken() {
			t.Errorf("answer = %+v, want that it was sent and not waited for", a)
		}
	})
}

func TestTimeThatIsUpBeforeItWasSentIsAFailure(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	s := deliver.Sender{Target: target(t, "http://localhost", "")}
	if a := s.Send(ctx, deliver.Ping()); a.Err == nil || errors.Is(a.Err, deliver.ErrNotWaitedFor) {
		t.Errorf("answer = %+v, want an error that says it was not sent", a)
	}
}

func TestATokenGoesNowhereElse(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	s := deliver.Sender{Target: target(t, server.URL, "t0ken")}
	if a := s.Send(t.Context(), deliver.Ping()); a.Taken() || a.Code != http.StatusTemporaryRedirect || asked != 0 {
		t.Errorf("answer = %+v, and the other was asked %d times", a, asked)
	}
}

func TestNobodyThereIsOneLine(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	s := deliver.Sender{Target: target(t, "http://"+listener.Addr().String(), "t0ken")}
	a := s.Send(t.Context(), deliver.Ping())
	if a.Taken() || !strings.Contains(a.String(), "connection refused") || strings.Contains(a.String(), "t0ken") || strings.Contains(a.String(), "\n") {
		t.Errorf("answer = %q, want one line on a refused connection", a)
	}
}

func TestEachAnswerHasWords(t *testing.T) {
	for code, want := range map[int]string{
		204: "done", 200: "something else than the handler", 400: "cannot read", 401: "--token-file", 403: "authentication.allowed",
		404: "not the handler", 503: "not done", 302: "points elsewhere", 500: "something on the way",
	} {
		if got := (deliver.Answer{Code: code, Tries: 1}).String(); !strings.Contains(got, want) {
			t.Errorf("%q, want it to say %q", got, want)
		}
	}
}
