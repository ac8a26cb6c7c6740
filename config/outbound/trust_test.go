package outbound_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

func TestAPrivateCAIsTrustedBesidesTheSystems(t *testing.T) {
	system, private := newAuthority(t, "system"), newAuthority(t, "private")
	ofSystem, ofPrivate := system.serve(t, ok), private.serve(t, ok)
	factory := newFactory(t, func(o *outbound.Options) {
		o.SystemPool = func() (*x509.CertPool, error) { return system.pool(), nil }
	})
	client := acquire(t, factory, outbound.Config{
		Profile:   profile.Name,
		Endpoints: []string{ofSystem.URL, ofPrivate.URL},
		Trust:     trusting(private),
	}).Client()
	expectStatus(t, client, ofSystem.URL, http.StatusNoContent)
	expectStatus(t, client, ofPrivate.URL, http.StatusNoContent)
}

func TestWhatIsWrongWithACertificateIsOneClearLine(t *testing.T) {
	right, wrong := newAuthority(t, "right"), newAuthority(t, "wrong")
	factory := newFactory(t, nil)
	for _, tc := range []struct {
		name        string
		certificate tls.Certificate
		want        string
	}{
		{"of another CA", wrong.issue(t, nil), "is not signed by a trusted CA"},
		{"for other names", right.issue(t, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"other.example"} }), `is for other names: "other.example"`},
		{"for very many names", right.issue(t, func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, strings.Fields(strings.Repeat("other.example ", 100))
		}), "and more"},
		{"expired", right.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), "has expired"},
		{"for clients only", right.issue(t, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }), "cannot be verified"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := startTLS(t, &tls.Config{Certificates: []tls.Certificate{tc.certificate}}, ok)
			client := acquire(t, factory, outbound.Config{Profile: profile.Name, Endpoints: []string{server.URL}, Trust: trusting(right)}).Client()
			_, err := get(t, client, server.URL)
			expectError(t, err, "remote", tc.want)
			expectError(t, err, "remote", "the certificate of "+strings.TrimPrefix(server.URL, "https://"))
			if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 500) {
				t.Errorf("the error is not one line: %v", err)
			}
		})
	}
}

func TestTheCAOfOneVersionIsNotTrustedByTheNext(t *testing.T) {
	private := newAuthority(t, "private")
	server := private.serve(t, ok)
	one := x509.NewCertPool() // the same one each time
	factory := newFactory(t, func(o *outbound.Options) {
		o.SystemPool = func() (*x509.CertPool, error) { return one, nil }
	})
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{server.URL}, Trust: trusting(private)}
	expectStatus(t, acquire(t, factory, config).Client(), server.URL, http.StatusNoContent)
	config.Trust = outbound.SystemRoots{}
	_, err := get(t, acquire(t, factory, config).Client(), server.URL)
	expectError(t, err, "remote", "not signed by a trusted CA")
}

// The server's certificate is replaced by one of another CA while an exporter
// holds its one client, and somebody else a lease.
func TestARotatedCAIsTakenUpWithoutARestart(t *testing.T) {
	older, newer := newAuthority(t, "older"), newAuthority(t, "newer")
	var served atomic.Pointer[tls.Config]
	serve := func(a *authority) { served.Store(&tls.Config{Certificates: []tls.Certificate{a.issue(t, nil)}}) }
	serve(older)
	server := startTLS(t, &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return served.Load(), nil }}, ok)
	var trusted atomic.Pointer[authority]
	trusted.Store(older)
	config := outbound.Config{
		Profile:   profile.Name,
		Endpoints: []string{server.URL},
		Trust:     trust(func(context.Context) ([]byte, error) { return trusted.Load().pem(), nil }),
	}
	factory := newFactory(t, nil)
	lasting := &http.Client{Transport: outbound.Transport(factory, owner, func(context.Context) (outbound.Config, error) { return config, nil })}
	lease := acquire(t, factory, config)
	expectStatus(t, lasting, server.URL, http.StatusNoContent)

	serve(newer)
	trusted.Store(newer)
	expectStatus(t, lasting, server.URL, http.StatusNoContent)
	expectStatus(t, lease.Client(), server.URL, http.StatusNoContent) // on the connection that it has
	server.CloseClientConnections()
	_, err := get(t, lease.Client(), server.URL) // its trust is what it was
	expectError(t, err, "remote", "not signed by a trusted CA")
}

func TestASystemPoolThatCannotBeLoadedIsAnError(t *testing.T) {
	private := newAuthority(t, "private")
	fault := errors.New("disk on fire")
	factory := newFactory(t, func(o *outbound.Options) {
		o.SystemPool = func() (*x509.CertPool, error) { return nil, fault }
	})
	_, err := factory.Acquire(t.Context(), owner, outbound.Config{Profile: profile.Name, Endpoints: []string{"https://api.example"}, Trust: trusting(private)})
	expectError(t, err, "config", "load the system's CA certificates: disk on fire")
	if !errors.Is(err, fault) {
		t.Error("the cause is lost")
	}
}

type sorted struct {
	error
	temporary bool
}

func (s sorted) Temporary() bool { return s.temporary }

func TestWithoutItsTrustNoOlderClientIsHandedOut(t *testing.T) {
	cannot := errors.New("cannot tell")
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"no more said", cannot, "config"},
		{"said to pass", fmt.Errorf("read: %w", sorted{cannot, true}), "transient"},
		{"said to stay", fmt.Errorf("read: %w", sorted{cannot, false}), "config"},
		{"said to stay, of an ended context", sorted{context.Canceled, false}, "config"},
		{"cancelled", fmt.Errorf("read: %w", context.Canceled), "transient"},
		{"too late", fmt.Errorf("read: %w", context.DeadlineExceeded), "transient"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			factory := newFactory(t, nil)
			var fault error
			config := outbound.Config{
				Profile:   profile.Name,
				Endpoints: []string{"https://api.example"},
				Trust:     trust(func(context.Context) ([]byte, error) { return nil, fault }),
			}
			acquire(t, factory, config)
			fault = tc.err
			lease, err := factory.Acquire(t.Context(), owner, config)
			expectError(t, err, tc.want, "resolve trusted CA certificates: ")
			if lease != nil || !errors.Is(err, tc.err) {
				t.Errorf("Acquire = %v, %v; want no lease, and the cause", lease, err)
			}
		})
	}
}

func TestTrustIsResolvedWithTheContextOfTheAcquisition(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "mine")
	var got any
	_, err := newFactory(t, nil).Acquire(ctx, owner, outbound.Config{
		Profile:   profile.Name,
		Endpoints: []string{"https://api.example"},
		Trust:     trust(func(ctx context.Context) ([]byte, error) { got = ctx.Value(key{}); return nil, nil }),
	})
	if err != nil || got != "mine" {
		t.Errorf("Resolve was called with another context (%v), %v", got, err)
	}
}

func TestTrustThatIsNoPEMIsRefused(t *testing.T) {
	good := string(newAuthority(t, "good").pem())
	for name, text := range map[string]string{
		"junk":               "junk",
		"junk at the end":    good + "junk",
		"not a certificate":  "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
		"a block cut short":  good[:len(good)/2],
		"the same, in a row": good + good[:len(good)/2],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newFactory(t, nil).Acquire(t.Context(), owner, outbound.Config{
				Profile:   profile.Name,
				Endpoints: []string{"https://api.example"},
				Trust:     trust(func(context.Context) ([]byte, error) { return []byte(text), nil }),
			})
			expectError(t, err, "config", "the trusted CA certificates")
		})
	}
}

func TestTLS12IsTakenOnlyWhereTheProfileSaysSo(t *testing.T) {
	private := newAuthority(t, "private")
	server := startTLS(t, &tls.Config{Certificates: []tls.Certificate{private.issue(t, nil)}, MaxVersion: tls.VersionTLS12}, ok)
	factory := newFactory(t, nil)
	if err := factory.Register(outbound.Profile{Name: "old", Timeout: profile.Timeout, MinTLS12: true}); err != nil {
		t.Fatal(err)
	}
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{server.URL}, Trust: trusting(private)}
	_, err := get(t, acquire(t, factory, config).Client(), server.URL)
	expectError(t, err, "remote", "refuses the TLS handshake: tls: protocol version not supported")
	config.Profile = "old"
	expectStatus(t, acquire(t, factory, config).Client(), server.URL, http.StatusNoContent)
}

func TestHTTP2IsSpokenInSpiteOfOwnTLSSettings(t *testing.T) {
	private := newAuthority(t, "private")
	var protocol atomic.Value
	server := private.serve(t, func(w http.ResponseWriter, r *http.Request) { protocol.Store(r.Proto) })
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{server.URL}, Trust: trusting(private)}
	expectStatus(t, acquire(t, newFactory(t, nil), config).Client(), server.URL, http.StatusOK)
	if got := protocol.Load(); got != "HTTP/2.0" {
		t.Errorf("the server was spoken to in %v", got)
	}
}
