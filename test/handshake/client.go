package handshake

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// requestTimeout bounds one request; the server is on this machine.
const requestTimeout = 5 * time.Second

// Client is a TLS client that knows one CA and finds every hostname at one
// address.
type Client struct {
	roots   *x509.CertPool
	address string
}

// NewClient trusts the CA whose certificate is given as PEM; address is host:port.
func NewClient(ca []byte, address string) (*Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("make a TLS client: the CA has no certificate in PEM")
	}
	return &Client{roots, address}, nil
}

// Answer is what a request was answered.
type Answer struct {
	// Certificate is that of the server.
	Certificate *x509.Certificate
	Status      int
	// Location is where a redirect leads, else empty.
	Location string
}

// Get requests / of a hostname over HTTPS, on a connection of its own. It fails
// if the certificate is not the CA's or not for the hostname.
func (c *Client) Get(ctx context.Context, hostname string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: c.roots},
		ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, c.address)
		},
	}
	defer transport.CloseIdleConnections()
	_, port, err := net.SplitHostPort(c.address)
	if err != nil {
		return Answer{}, fmt.Errorf("read the server's address: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+net.JoinHostPort(hostname, port)+"/", nil)
	if err != nil {
		return Answer{}, fmt.Errorf("make a request for %s: %w", hostname, err)
	}
	response, err := transport.RoundTrip(request) // which follows no redirects
	if err != nil {
		return Answer{}, fmt.Errorf("request %s: %w", hostname, err)
	}
	defer response.Body.Close()
	return Answer{response.TLS.PeerCertificates[0], response.StatusCode, response.Header.Get("Location")}, nil
}

// Handshake returns the certificate that a client who asks for the hostname is
// served. It fails if the certificate is not the CA's or not for the hostname.
func (c *Client) Handshake(ctx context.Context, hostname string) (*x509.Certificate, error) {
	return c.handshake(ctx, &tls.Config{RootCAs: c.roots, ServerName: hostname})
}

// Unverified is Handshake for a client who takes any certificate.
func (c *Client) Unverified(ctx context.Context, hostname string) (*x509.Certificate, error) {
	return c.handshake(ctx, &tls.Config{InsecureSkipVerify: true, ServerName: hostname})
}

func (c *Client) handshake(ctx context.Context, config *tls.Config) (*x509.Certificate, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	connection, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, fmt.Errorf("shake hands for %s: %w", config.ServerName, err)
	}
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}
