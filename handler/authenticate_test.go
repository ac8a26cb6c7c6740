package handler_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
)

// authenticator stands for the API server: what is tested here is what becomes of
// what it says. The tests of the whole have the real one.
type authenticator struct {
	asked []string
	trace trace.TraceID // in which it was last asked
	says  authn.Identity
	err   error
}

func (a *authenticator) Authenticate(ctx context.Context, token string) (authn.Identity, error) {
	a.asked = append(a.asked, token)
	a.trace = trace.SpanContextFromContext(ctx).TraceID()
	return a.says, a.err
}

// guarded is a Handler that takes events of "source" only.
func guarded(a *authenticator, r *recorder) *handler.Handler {
	h := handler.New(handler.Options{Reconciler: r, Tracing: noop.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)})
	h.TakeFrom(senders(a))
	return h
}

func senders(a *authenticator) func() *handler.Senders {
	return func() *handler.Senders {
		return &handler.Senders{Authenticator: a, Allows: func(username string) bool { return username == "source" }}
	}
}

// untouched is a body that nobody may read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func (u untouched) Close() error { return nil }

func TestARefusedRequestIsAnsweredWithoutReadingItsBody(t *testing.T) {
	source := authn.Identity{Username: "source"}
	long := strings.Repeat("x", 8<<10)
	for name, tc := range map[string]struct {
		authorization []string
		says          authn.Identity
		err           error
		want, asked   int
	}{
		"no header":                 {nil, source, nil, http.StatusUnauthorized, 0},
		"an empty header":           {[]string{""}, source, nil, http.StatusUnauthorized, 0},
		"another scheme":            {[]string{"Basic c291cmNlOg=="}, source, nil, http.StatusUnauthorized, 0},
		"a scheme without a token":  {[]string{"Bearer "}, source, nil, http.StatusUnauthorized, 0},
		"a token without a scheme":  {[]string{"a.b.c"}, source, nil, http.StatusUnauthorized, 0},
		"two tokens":                {[]string{"Bearer a b"}, source, nil, http.StatusUnauthorized, 0},
		"two headers":               {[]string{"Bearer a", "Bearer b"}, source, nil, http.StatusUnauthorized, 0},
		"no letters of a token":     {[]string{"Bearer ä"}, source, nil, http.StatusUnauthorized, 0},
		"padding alone":             {[]string{"Bearer =="}, source, nil, http.StatusUnauthorized, 0},
		"a token over 8 KiB":        {[]string{"Bearer " + long + "x"}, source, nil, http.StatusUnauthorized, 0},
		"a token of 8 KiB, invalid": {[]string{"Bearer " + long}, authn.Identity{Refusal: "no"}, nil, http.StatusUnauthorized, 1},
		"a token that is not valid": {[]string{"Bearer a.b.c"}, authn.Identity{Refusal: "no"}, nil, http.StatusUnauthorized, 1},
		"an unlisted identity":      {[]string{"Bearer a.b.c"}, authn.Identity{Username: "other"}, nil, http.StatusForbidden, 1},
		"it cannot be told":         {[]string{"Bearer a.b.c"}, authn.Identity{}, errors.New("away"), http.StatusServiceUnavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			a, r, response := &authenticator{says: tc.says, err: tc.err}, &recorder{}, httptest.NewRecorder()
			request := fixture(t, "certificate-add")
			request.Body = untouched{t}
			request.Header["Authorization"] = tc.authorization
			guarded(a, r).ServeHTTP(response, request)
			if response.Code != tc.want || response.Body.Len() > 0 {
				t.Errorf("answer = %d %q, want %d without a body", response.Code, response.Body, tc.want)
			}
			if got := response.Header().Get("WWW-Authenticate"); (got == "Bearer") != (tc.want == http.StatusUnauthorized) {
				t.Errorf("WWW-Authenticate = %q with status %d", got, tc.want)
			}
			if got := response.Header().Get("Retry-After"); (got != "") != (tc.want == http.StatusServiceUnavailable) {
				t.Errorf("Retry-After = %q with status %d", got, tc.want)
			}
			if len(a.asked) != tc.asked || len(r.changes) != 0 {
				t.Errorf("%d questions and %d changes, want %d and none", len(a.asked), len(r.changes), tc.asked)
			}
		})
	}
}

func TestAnAllowedSenderIsHeard(t *testing.T) {
	for _, authorization := range []string{"Bearer a.b-_~+/.c==", "bearer a.b-_~+/.c==", "BEARER  a.b-_~+/.c== "} {
		a, r, response := &authenticator{says: authn.Identity{Username: "source"}}, &recorder{}, httptest.NewRecorder()
		request := fixture(t, "certificate-add")
		request.Header.Set("Authorization", authorization)
		guarded(a, r).ServeHTTP(response, request)
		if response.Code != http.StatusNoContent || len(r.changes) != 1 {
			t.Errorf("%q: status = %d after %d changes, want 204 after 1", authorization, response.Code, len(r.changes))
		}
		if len(a.asked) != 1 || a.asked[0] != "a.b-_~+/.c==" {
			t.Errorf("%q: it asked about %q", authorization, a.asked)
		}
	}
}

func TestProbesNeedNoToken(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		a, response := &authenticator{}, httptest.NewRecorder()
		guarded(a, &recorder{}).ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), method, "/healthz", nil))
		if response.Code != http.StatusOK || len(a.asked) != 0 {
			t.Errorf("%s /healthz = %d after %d questions, want 200 after none", method, response.Code, len(a.asked))
		}
	}
}

func TestARefusalLeavesATraceButNotTheToken(t *testing.T) {
	const token = "eyJhbGciOiJub25lIn0.c2VjcmV0.c2lnbmF0dXJl"
	for name, says := range map[string]authn.Identity{
		"invalid":  {Refusal: "expired"},
		"unlisted": {Username: "system:serviceaccount:shop:other"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			spans := tracetest.NewInMemoryExporter()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
			h := handler.New(handler.Options{Reconciler: &recorder{}, Tracing: provider, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
			h.TakeFrom(senders(&authenticator{says: says}))
			request := fixture(t, "certificate-add")
			request.Header.Set("Authorization", "Bearer "+token)
			h.ServeHTTP(httptest.NewRecorder(), request)

			said := log.String()
			for _, span := range spans.GetSpans() {
				for _, e := range span.Events {
					for _, attribute := range e.Attributes {
						said += attribute.Value.String()
					}
				}
				for _, attribute := range span.Attributes {
					said += attribute.Value.String()
				}
			}
			if n := len(spans.GetSpans()); n != 1 || strings.Count(said, says.Refusal+says.Username) < 2 {
				t.Errorf("%d spans, and log and span say %s; want one span, and both to name %+v", n, said, says)
			}
			if strings.Contains(said, token) {
				t.Errorf("log and span hold the token: %s", said)
			}
		})
	}
}

func TestTheQuestionForATokenIsAskedInTheSendersTrace(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	a, request := &authenticator{}, fixture(t, "certificate-add")
	request.Header.Set("Authorization", "Bearer a.b.c")
	request.Header.Set("Traceparent", "00-"+id+"-b7ad6b7169203331-01")
	guarded(a, &recorder{}).ServeHTTP(httptest.NewRecorder(), request)
	if a.trace.String() != id {
		t.Errorf("asked in trace %s, want %s", a.trace, id)
	}
}

// On the real server, for it is net/http that does this.
func TestARefusedSenderKeepsItsConnectionUnlessItsBodyIsLarge(t *testing.T) {
	server := httptest.NewServer(guarded(&authenticator{}, &recorder{}))
	t.Cleanup(server.Close)
	for size, closes := range map[int]bool{1 << 10: false, 3 << 20: true} {
		response, err := server.Client().Post(server.URL, "application/json", strings.NewReader(strings.Repeat(" ", size)))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized || response.Close != closes {
			t.Errorf("with %d bytes: status = %d, closes: %v; want 401 and %v", size, response.StatusCode, response.Close, closes)
		}
	}
}

var b64token = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

// Nothing but a token is ever asked about, however odd the header.
func FuzzAuthorization(f *testing.F) {
	for _, seed := range []string{"", "Bearer", "Bearer ", "bearer a.b.c", "Bearer a=b", "Bearer  a= ", "Basic YTpi", "Bearer \x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, authorization string) {
		a, response := &authenticator{says: authn.Identity{Refusal: "no"}}, httptest.NewRecorder()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", untouched{t})
		request.Header["Authorization"] = []string{authorization}
		guarded(a, &recorder{}).ServeHTTP(response, request)
		if response.Code != http.StatusUnauthorized {
			t.Errorf("status = %d, want 401", response.Code)
		}
		for _, token := range a.asked {
			if len(token) > 8<<10 || !b64token.MatchString(token) || !strings.Contains(authorization, token) {
				t.Errorf("asked about %q for %q", token, authorization)
			}
		}
	})
}
