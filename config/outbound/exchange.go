package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"syscall"
)

// exchangeError makes an error of net/http ours. It writes its own text for what
// it knows, and none for the rest: net/http quotes what it cannot read, and a
// server may have put anything there. ctx is the request's: once it has ended,
// net/http returns its cause, which may be of any kind.
func exchangeError(ctx context.Context, host string, err error) error {
	if mine := own(err); mine != nil {
		return mine
	}
	if refusal := tlsError(host, err); refusal != nil {
		return refusal
	}
	if ended := ctx.Err(); ended != nil {
		return contextError("the request to "+host, ended)
	}
	var (
		timeout net.Error
		lookup  *net.DNSError
		code    syscall.Errno
	)
	switch {
	case errors.Is(err, context.Canceled):
		return contextError("the request to "+host, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return contextError("the request to "+host, context.DeadlineExceeded)
	case errors.As(err, &lookup):
		return transientErrorf("the name %s cannot be resolved", lookup.Name) // the proxy's, it may be
	case errors.As(err, &code):
		return &TransientError{failure{"the connection to " + host + " failed: " + code.Error(), code}}
	}
	return transientErrorf("the connection to %s broke off, or the answer is not HTTP", host)
}

// contextError is for a context that has ended.
func contextError(action string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &TransientError{failure{action + ": no answer in time", err}}
	}
	return &TransientError{failure{action + ": given up, as its context ended", err}}
}

// tlsError returns nil for errors that are not about TLS.
func tlsError(host string, err error) error {
	var (
		unverified *tls.CertificateVerificationError
		noTLS      tls.RecordHeaderError
		op         *net.OpError
	)
	switch {
	case errors.As(err, &unverified):
		return &RemoteError{failure: failure{certificateFault(host, unverified.Err), unverified.Err}}
	case errors.As(err, &noTLS):
		return remoteErrorf("%s does not speak TLS", host)
	case errors.As(err, &op) && op.Op == "remote error": // crypto/tls's word for an alert
		return remoteErrorf("%s refuses the TLS handshake: %v", host, op.Err)
	}
	return nil
}

func certificateFault(host string, err error) string {
	var (
		unknown x509.UnknownAuthorityError
		names   x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &unknown):
		return "the certificate of " + host + " is not signed by a trusted CA: add the CA to the trusted ones"
	case errors.As(err, &names):
		return "the certificate of " + host + " is for other names" + listed(names.Certificate)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate of " + host + ", or that of its CA, has expired or is not yet valid"
	}
	return "the certificate of " + host + " cannot be verified"
}
