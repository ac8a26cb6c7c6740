package trust_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// What a real API server does is tried in test/trust. Here are the answers that
// it cannot be driven to.

// reading are the sources that ask an API server.
func reading(t *testing.T, config *rest.Config) map[string]trust.Source {
	t.Helper()
	client, err := trust.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]trust.Source{
		"ConfigMap gateway-cert/ca key ca.crt":                trust.ConfigMap{Client: client, Namespace: "gateway-cert", Name: "ca", Key: "ca.crt"},
		"Knative trust bundles in namespace knative-eventing": trust.KnativeBundles{Client: client, Namespace: "knative-eventing"},
	}
}

// answering is a server that gives this answer to every request.
func answering(t *testing.T, code int, body string, header http.Header) *rest.Config {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

// status is a code as an API server explains it.
func status(code int, reason string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Status","status":"Failure","code":%d,"reason":%q,"message":"it says %s"}`, code, reason, reason)
}

var inJSON = http.Header{"Content-Type": {"application/json"}}

func TestAnAnswerThatSaysNothingOfTheBundleIsTransient(t *testing.T) {
	for name, tc := range map[string]struct {
		code   int
		body   string
		header http.Header
	}{
		"too many requests":       {429, status(429, "TooManyRequests"), inJSON},
		"an internal error":       {500, status(500, "InternalError"), inJSON},
		"unavailable":             {503, status(503, "ServiceUnavailable"), inJSON},
		"a timeout of the server": {504, status(504, "Timeout"), inJSON},
		"credentials not known":   {401, status(401, "Unauthorized"), inJSON},
		"pages that have expired": {410, status(410, "Expired"), inJSON},
		"a proxy's 502":           {502, "<html>", nil},
		"a proxy's 403":           {403, "<html>", nil},
		"a proxy's 404":           {404, "<html>", nil},
		"a proxy's 200":           {200, "<html>", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for source, asked := range reading(t, answering(t, tc.code, tc.body, tc.header)) {
				_, err := asked.Resolve(t.Context())
				wantTransientError(t, err, source+": read: ")
			}
		})
	}
}

func TestAServerThatCannotBeReachedIsTransient(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for source, asked := range reading(t, &rest.Config{Host: "http://" + listener.Addr().String()}) {
		_, err := asked.Resolve(t.Context())
		wantTransientError(t, err, source+": read: ", "connection refused")
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAServerThatDoesNotAnswerIsTransientAfterFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		for source, asked := range reading(t, &rest.Config{Host: "http://silent", Transport: silent}) {
			start := time.Now()
			_, err := asked.Resolve(t.Context())
			wantTransientError(t, err, source+": read: ")
			if took := time.Since(start); took != 5*time.Second || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: after %s: %v", source, took, err)
			}
		}
	})
}

// Retry-After has client-go wait and ask again, for as long as one lets it.
func TestAServerThatAsksForPatienceIsTransientAfterFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := roundTripper(func(r *http.Request) (*http.Response, error) {
			header := inJSON.Clone()
			header.Set("Retry-After", "3")
			return &http.Response{
				StatusCode: 429, Header: header, Request: r,
				Body: io.NopCloser(strings.NewReader(status(429, "TooManyRequests"))),
			}, nil
		})
		for source, asked := range reading(t, &rest.Config{Host: "http://busy", Transport: busy}) {
			start := time.Now()
			_, err := asked.Resolve(t.Context())
			wantTransientError(t, err, source+": read: ")
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s: it takes %s", source, took)
			}
		}
	})
}

func TestWhoLeavesNeedNotWaitForTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for source, asked := range reading(t, &rest.Config{Host: "http://192.0.2.1"}) {
		_, err := asked.Resolve(ctx)
		wantTransientError(t, err, source+": ")
	}
}

// Names that cannot be are not asked for: an empty namespace stands for all of
// them, and a name with a slash for another resource.
func TestNamesThatCannotBeAreAConfigError(t *testing.T) {
	unasked := roundTripper(func(r *http.Request) (*http.Response, error) {
		t.Errorf("the server is asked for %s", r.URL.Path)
		return nil, errAway
	})
	client, err := trust.NewClient(&rest.Config{Host: "http://unasked", Transport: unasked})
	if err != nil {
		t.Fatal(err)
	}
	base := trust.ConfigMap{Client: client, Namespace: "gateway-cert", Name: "ca", Key: "ca.crt"}
	for says, mutate := range map[string]func(*trust.ConfigMap){
		`the namespace "" cannot be one`:     func(c *trust.ConfigMap) { c.Namespace = "" },
		`the namespace "a.b" cannot be one`:  func(c *trust.ConfigMap) { c.Namespace = "a.b" },
		`the name "" cannot be one`:          func(c *trust.ConfigMap) { c.Name = "" },
		`the name "../secrets" cannot`:       func(c *trust.ConfigMap) { c.Name = "../secrets" },
		`the key "" cannot be one`:           func(c *trust.ConfigMap) { c.Key = "" },
		`the key "ca crt" cannot be one; co`: func(c *trust.ConfigMap) { c.Key = "ca crt" },
	} {
		c := base
		mutate(&c)
		_, err := c.Resolve(t.Context())
		wantConfigError(t, err, says)
	}
	for _, namespace := range []string{"", "a/b", "*"} {
		_, err := trust.KnativeBundles{Client: client, Namespace: namespace}.Resolve(t.Context())
		wantConfigError(t, err, "Knative trust bundles in namespace "+namespace+": ", "cannot be a namespace")
	}
}
