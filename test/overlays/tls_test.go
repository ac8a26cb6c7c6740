package overlays

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// front stands before the handler with TLS, as the gateway of Knative's networking
// layer does.
type front struct {
	*httptest.Server
	requests atomic.Int32
}

func newFront(t *testing.T, issuer *collector.Authority) *front {
	t.Helper()
	handler, err := url.Parse(system.HandlerURL())
	namespace.Must(t, err)
	f := &front{}
	// Told of are handshakes and requests that the adapter breaks off.
	silent := log.New(io.Discard, "", 0)
	proxy := &httputil.ReverseProxy{ErrorLog: silent, Rewrite: func(r *httputil.ProxyRequest) {
		f.requests.Add(1)
		r.SetURL(handler)
	}}
	f.Server = httptest.NewUnstartedServer(proxy)
	f.TLS, err = issuer.Server()
	namespace.Must(t, err)
	f.Config.ErrorLog = silent
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

func newAuthority(t *testing.T) *collector.Authority {
	t.Helper()
	authority, err := collector.NewAuthority()
	namespace.Must(t, err)
	return authority
}

// sendTo has the source trust an authority and send to the front.
func sendTo(t *testing.T, f *front, authority *collector.Authority) {
	t.Helper()
	namespace.Must(t, system.StopAdapters())
	t.Cleanup(func() {
		system.SendTo("")
		change(t, singleSource)
	})
	system.SendTo(f.URL)
	applyComponent(t, "tls", configMap{"gateway-cert-ca", "ca.crt", string(authority.PEM())})
	namespace.Must(t, system.StartAdapters(system.ctx))
}

func TestEventsArriveByTLSWhereTheSinkNamesTheIssuer(t *testing.T) {
	issuer := newAuthority(t)
	f := newFront(t, issuer)
	sendTo(t, f, issuer)
	in := namespace.New(t, system.Config())
	served(t, in, "edge", nil)
	if f.requests.Load() == 0 {
		t.Error("the event has not come by TLS")
	}
}

var errNotTrusted = errors.New("the adapter does not trust the certificate")

func TestNoEventArrivesByTLSWhereTheSinkNamesAnotherIssuer(t *testing.T) {
	f := newFront(t, newAuthority(t))
	sendTo(t, f, newAuthority(t))
	ctx, cancel := context.WithTimeout(t.Context(), adapterSays)
	defer cancel()
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	system.log.onLine(func() { refuse(errNotTrusted) }, f.URL, "x509: certificate signed by unknown authority")
	defer system.log.onLine(nil)

	in := namespace.New(t, system.Config())
	in.CreateGateway("edge", nil)
	in.CreateCertificate("for-edge", "edge", "edge.example.com")
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, errNotTrusted) {
		t.Errorf("the adapter does not say that it trusts no such issuer: %v", err)
	}
	if n := f.requests.Load(); n > 0 || isServed(in, "edge") {
		t.Errorf("%d requests have come, and the listener is there: %t", n, isServed(in, "edge"))
	}
}
