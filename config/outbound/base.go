package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
)

// newBase returns the transport of one version, whose connections end with
// lifetime at the latest. Nothing in it is shared with another.
func newBase(lifetime context.Context, system func() (*x509.CertPool, error), s spec) (*http.Transport, error) {
	pool, err := rootPool(system, s.roots)
	if err != nil {
		return nil, err
	}
	certificates, err := s.clientCert.certificates(s.profile)
	if err != nil {
		return nil, err
	}
	least := uint16(tls.VersionTLS13)
	if s.profile.MinTLS12 {
		least = tls.VersionTLS12
	}
	return &http.Transport{
		Proxy:                  quiet(http.ProxyFromEnvironment),
		DialContext:            dialer(lifetime),
		TLSClientConfig:        &tls.Config{RootCAs: pool, Certificates: certificates, MinVersion: least},
		TLSHandshakeTimeout:    handshakeTimeout,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    s.profile.idleConnsPerHost(),
		IdleConnTimeout:        idleConnTimeout,
		ExpectContinueTimeout:  continueTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		// Without it a TLSClientConfig of one's own switches HTTP/2 off.
		ForceAttemptHTTP2: true,
		HTTP2:             &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}, nil
}

// quiet keeps a proxy's URL, which may hold a password, out of errors.
func quiet(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		u, err := proxy(r)
		if err != nil {
			return nil, configErrorf("the proxy in HTTPS_PROXY or HTTP_PROXY is not a URL")
		}
		return u, nil
	}
}
