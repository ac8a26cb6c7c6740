package outbound_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// shown is a profile with a client certificate in files.
func shown(t *testing.T) outbound.Profile {
	t.Helper()
	directory := t.TempDir()
	return outbound.Profile{
		Name:                  "mutual",
		Timeout:               profile.Timeout,
		ClientCertificateFile: filepath.Join(directory, "tls.crt"),
		ClientKeyFile:         filepath.Join(directory, "tls.key"),
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func writePair(t *testing.T, p outbound.Profile, pair tls.Certificate) {
	t.Helper()
	write(t, p.ClientCertificateFile, certificatePEM(pair.Leaf))
	write(t, p.ClientKeyFile, keyPEM(t, pair))
}

func askingForCertificates(t *testing.T, private *authority, handler http.HandlerFunc, mutate ...func(*httptest.Server)) *httptest.Server {
	t.Helper()
	return startTLS(t, &tls.Config{
		Certificates: []tls.Certificate{private.issue(t, nil)},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    private.pool(),
	}, handler, mutate...)
}

func TestAClientCertificateIsShownAndANewOneMakesANewClient(t *testing.T) {
	private := newAuthority(t, "private")
	var shownBy []string
	server := askingForCertificates(t, private, func(_ http.ResponseWriter, r *http.Request) {
		shownBy = append(shownBy, r.TLS.PeerCertificates[0].Subject.CommonName)
	})
	mutual := shown(t)
	factory := newFactory(t, nil)
	if err := factory.Register(mutual); err != nil {
		t.Fatal(err)
	}
	config := outbound.Config{Profile: mutual.Name, Endpoints: []string{server.URL}, Trust: trusting(private)}
	for _, name := range []string{"first", "second"} {
		writePair(t, mutual, private.issue(t, func(c *x509.Certificate) { c.Subject.CommonName = name }))
		expectStatus(t, acquire(t, factory, config).Client(), server.URL, http.StatusOK)
	}
	if got := strings.Join(shownBy, " "); got != "first second" {
		t.Errorf("shown were %q", got)
	}
}

// With TLS 1.3 the server says so after the handshake, and the request may break
// on it before it is read.
func TestAServerThatMissesAClientCertificateSaysSo(t *testing.T) {
	private := newAuthority(t, "private")
	server := askingForCertificates(t, private, ok, func(s *httptest.Server) { s.TLS.MaxVersion = tls.VersionTLS12 })
	factory := newFactory(t, nil)
	if err := factory.Register(outbound.Profile{Name: "old", Timeout: profile.Timeout, MinTLS12: true}); err != nil {
		t.Fatal(err)
	}
	config := outbound.Config{Profile: "old", Endpoints: []string{server.URL}, Trust: trusting(private)}
	_, err := get(t, acquire(t, factory, config).Client(), server.URL)
	expectError(t, err, "remote", "refuses the TLS handshake: tls: ")
}

func TestAClientCertificateThatCannotBeUsedIsAnErrorThatNamesTheFile(t *testing.T) {
	private := newAuthority(t, "private")
	pair, other := private.issue(t, nil), private.issue(t, nil)
	for _, tc := range []struct {
		name   string
		mutate func(outbound.Profile)
		want   string
	}{
		{"no certificate", func(p outbound.Profile) { _ = os.Remove(p.ClientCertificateFile) }, "tls.crt: no such file"},
		{"no key", func(p outbound.Profile) { _ = os.Remove(p.ClientKeyFile) }, "tls.key: no such file"},
		{"a huge file", func(p outbound.Profile) { write(t, p.ClientKeyFile, bytes.Repeat([]byte("x"), 64<<10+1)) }, "tls.key is larger than 64 KiB"},
		{"another's key", func(p outbound.Profile) { write(t, p.ClientKeyFile, keyPEM(t, other)) }, "tls.key are not a certificate and its key"},
		{"junk", func(p outbound.Profile) { write(t, p.ClientKeyFile, []byte("junk")) }, "tls.key are not a certificate and its key"},
		{"empty files", func(p outbound.Profile) { write(t, p.ClientKeyFile, nil); write(t, p.ClientCertificateFile, nil) }, "tls.key are not a certificate and its key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mutual := shown(t)
			writePair(t, mutual, pair)
			tc.mutate(mutual)
			factory := newFactory(t, nil)
			if err := factory.Register(mutual); err != nil {
				t.Fatal(err)
			}
			_, err := factory.Acquire(t.Context(), owner, outbound.Config{Profile: mutual.Name, Endpoints: []string{"https://api.example"}, Trust: outbound.SystemRoots{}})
			expectError(t, err, "config", tc.want)
		})
	}
}
