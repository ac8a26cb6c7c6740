package outbound

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
)

// readTLS reads what TLS needs. Where none is spoken nothing is read: a bundle
// that nobody would look at should stop nothing.
func (s *spec) readTLS(ctx context.Context, trust Trust) error {
	if !needsTLS(s.origins, http.ProxyFromEnvironment) {
		s.profile.ClientCertificateFile, s.profile.ClientKeyFile = "", ""
		return nil
	}
	var err error
	if s.clientCert, err = readPair(s.profile); err != nil {
		return err
	}
	s.roots, err = resolve(ctx, trust)
	return err
}

// needsTLS tells whether TLS is spoken on the way to one of the origins, which
// may be to a proxy alone.
func needsTLS(origins []origin, proxy func(*http.Request) (*url.URL, error)) bool {
	return slices.ContainsFunc(origins, func(o origin) bool {
		if o.scheme == "https" {
			return true
		}
		through, err := proxy(&http.Request{URL: &url.URL{Scheme: o.scheme, Host: net.JoinHostPort(o.host, o.port)}})
		return err != nil || through != nil && through.Scheme == "https"
	})
}
