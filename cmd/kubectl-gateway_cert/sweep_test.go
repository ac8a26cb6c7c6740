package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// newQuiet is a handler that logs and traces nothing.
func newQuiet(r handler.Reconciler) *handler.Handler {
	return handler.New(handler.Options{Reconciler: r, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)})
}

// newHandler is the real one on a loopback port, as behind kubectl port-forward.
func newHandler(t *testing.T, reconciler handler.Reconciler) (url string, h *handler.Handler) {
	t.Helper()
	h = newQuiet(reconciler)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL, h
}

func TestSweepHasTheHandlerDoItsWork(t *testing.T) {
	s := newTenants(t)
	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	url, _ := newHandler(t, reconcile.New(reconcile.Options{Cluster: apiServer, Tracing: noop.NewTracerProvider()}))
	stdout, stderr, code := s.run("sweep", "--wait", "--url", url)
	if code != 0 || !regexp.MustCompile(`^204: done in [0-9.a-z]+: each Gateway`).MatchString(stdout) || !strings.HasPrefix(stderr, "Asking "+url) {
		t.Errorf("exit code %d, it prints %q and says %q", code, stdout, stderr)
	}
	if _, there := s.RawListeners("edge")[gatewayv1.SectionName("auto-shop-"+strings.ReplaceAll(s.hostname("shop"), ".", "-"))]; !there {
		t.Errorf("the listeners are %v, want shop's", s.RawListeners("edge"))
	}
}

// reconciler stands for the handler's work.
type reconciler func(reconcile.Change) ([]reconcile.Outcome, error)

func (r reconciler) Handle(_ context.Context, change reconcile.Change) ([]reconcile.Outcome, error) {
	return r(change)
}

// inProcess is a network of which the other end is the handler, so that time can
// be a test's own.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody // as a server has it
	}
	p.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// nearby is a destination in this process.
func nearby(r handler.Reconciler) destination {
	h := newQuiet(r)
	return destination{url: "http://localhost", timeout: time.Minute, transport: inProcess{h}}
}

func TestSweepWithWaitAsksAgainWhatWithoutItIsGivenUp(t *testing.T) {
	for _, tc := range []struct {
		wait              bool
		asked             int
		out, says, failed string
	}{
		{true, 2, "204: done", "503: not done", ""},
		{false, 1, "", "", "no sweep: 503: not done"},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			streams, _, out, errOut := genericiooptions.NewTestIOStreams()
			s := &sweeping{streams: streams, wait: tc.wait, destination: nearby(reconciler(func(change reconcile.Change) ([]reconcile.Outcome, error) {
				if change.Kind != reconcile.Everything {
					t.Errorf("the handler gets %+v, want a sweep", change)
				}
				if asked++; asked == 1 {
					return nil, errors.New("the API server is away")
				}
				return nil, nil
			}))}
			err := s.run(t.Context())
			if (err == nil) != (tc.failed == "") || err != nil && !strings.HasPrefix(err.Error(), tc.failed) {
				t.Errorf("wait %v: %v, want %q", tc.wait, err, tc.failed)
			}
			if asked != tc.asked || !strings.Contains(out.String(), tc.out) || !strings.Contains(errOut.String(), tc.says) {
				t.Errorf("wait %v: asked %d times, it prints %q and says %q", tc.wait, asked, out, errOut)
			}
		})
	}
}

func TestSweepWithoutWaitLeavesTheRestToTheHandler(t *testing.T) {
	for _, tc := range []struct {
		wait   bool
		out    string
		failed bool
		took   time.Duration
	}{
		{false, "Sent. The handler has not answered yet", false, sweepGlance},
		{true, "", true, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			s := &sweeping{streams: streams, wait: tc.wait, destination: nearby(nil)}
			s.transport = silent{}
			start := time.Now()
			err := s.run(t.Context())
			if (err != nil) != tc.failed || !strings.HasPrefix(out.String(), tc.out) || time.Since(start) != tc.took {
				t.Errorf("wait %v: %v after %s, it prints %q", tc.wait, err, time.Since(start), out)
			}
		})
	}
}

// silent takes requests and never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	httptrace.ContextClientTrace(r.Context()).WroteRequest(httptrace.WroteRequestInfo{})
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// knows is an authenticator for one token.
type knows string

func (k knows) Authenticate(_ context.Context, token string) (authn.Identity, error) {
	if token == string(k) {
		return authn.Identity{Username: "me"}, nil
	}
	return authn.Identity{Refusal: "unknown"}, nil
}

func TestSweepShowsItsTokenAndNeverPrintsIt(t *testing.T) {
	url, h := newHandler(t, reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) { return nil, nil }))
	h.TakeFrom(func() *handler.Senders {
		return &handler.Senders{Authenticator: knows("t0ken"), Allows: func(name string) bool { return name == "me" }}
	})
	file := filepath.Join(t.TempDir(), "token")
	namespace.Must(t, os.WriteFile(file, []byte("t0ken\n"), 0o600))
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--token-file", file}, 0, ""},
		{[]string{"--token", "t0ken"}, 0, ""},
		{nil, 1, "401: the handler wants to know who sends this"},
		{[]string{"--token", "wr0ng"}, 1, "401"},
		{[]string{"--token", "t0ken", "--token-file", file}, 1, "none of the others can be"},
		{[]string{"--token-file", "/nonexistent"}, 1, "/nonexistent"},
	} {
		stdout, stderr, code := newShell(t).run(append([]string{"sweep", "--wait", "--url", url}, tc.args...)...)
		if code != tc.code || !strings.Contains(stderr, tc.says) || strings.Contains(stdout+stderr, "t0ken") || strings.Contains(stdout+stderr, "wr0ng") {
			t.Errorf("%q: exit code %d, it prints %q and says %q", tc.args, code, stdout, stderr)
		}
	}
}

func TestWithoutAnAddressSweepAndReplaySayHowToReachTheHandler(t *testing.T) {
	for _, args := range [][]string{{"sweep"}, {"sweep", "--wait"}, {"replay", "-"}} {
		_, stderr, code := newShell(t).run(args...)
		if code != 1 || !strings.Contains(stderr, "port-forward") || !strings.Contains(stderr, "kubectl -n gateway-cert run") {
			t.Errorf("%q: exit code %d, it says %q", args, code, stderr)
		}
	}
}

// The command for a pod has the headers of a ping that the handler takes.
func TestTheCurlThatIsAdvisedIsASweep(t *testing.T) {
	swept := false
	url, _ := newHandler(t, reconciler(func(change reconcile.Change) ([]reconcile.Outcome, error) {
		swept = change.Kind == reconcile.Everything
		return nil, nil
	}))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
	namespace.Must(t, err)
	for _, header := range regexp.MustCompile(`-H '([^:]+): ([^']+)'`).FindAllStringSubmatch(howToReach, -1) {
		request.Header.Set(header[1], header[2])
	}
	response, err := http.DefaultClient.Do(request)
	namespace.Must(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusNoContent || !swept {
		t.Errorf("it is answered %d, swept: %v", response.StatusCode, swept)
	}
}
