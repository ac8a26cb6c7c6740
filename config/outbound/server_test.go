package outbound_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
)

// startTLS starts a server on loopback that also speaks HTTP/2.
func startTLS(t *testing.T, settings *tls.Config, handler http.HandlerFunc, mutate ...func(*httptest.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.TLS = settings
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, f := range mutate {
		f(server)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func (a *authority) serve(t *testing.T, handler http.HandlerFunc, mutate ...func(*httptest.Server)) *httptest.Server {
	t.Helper()
	return startTLS(t, &tls.Config{Certificates: []tls.Certificate{a.issue(t, nil)}}, handler, mutate...)
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
