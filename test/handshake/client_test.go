package handshake

import (
	"bytes"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// newServer has a certificate for example.com, and redirects.
func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(http.RedirectHandler("https://elsewhere.invalid/", http.StatusFound))
	t.Cleanup(server.Close)
	return server
}

func newClient(t *testing.T, server *httptest.Server, ca []byte) *Client {
	t.Helper()
	client, err := NewClient(ca, server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// ofServer is a CA that the server's certificate is of: itself.
func ofServer(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

func TestAClientTellsWhatItIsServedAndFollowsNoRedirect(t *testing.T) {
	server := newServer(t)
	answer, err := newClient(t, server, ofServer(server)).Get(t.Context(), "example.com")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(answer.Certificate.Raw, server.Certificate().Raw) || answer.Status != http.StatusFound || answer.Location != "https://elsewhere.invalid/" {
		t.Errorf("the answer is %+v", answer)
	}
}

func TestAClientRefusesACertificate(t *testing.T) {
	server := newServer(t)
	another, err := collector.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		ca       []byte
		hostname string
	}{
		"of another CA":        {another.PEM(), "example.com"},
		"for another hostname": {ofServer(server), "example.net"},
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, server, tc.ca)
			if _, err := client.Get(t.Context(), tc.hostname); err == nil {
				t.Error("Get takes it")
			}
			if _, err := client.Handshake(t.Context(), tc.hostname); err == nil {
				t.Error("Handshake takes it")
			}
			served, err := client.Unverified(t.Context(), tc.hostname)
			if err != nil || !bytes.Equal(served.Raw, server.Certificate().Raw) {
				t.Errorf("Unverified returns %v, %v", served, err)
			}
		})
	}
}
