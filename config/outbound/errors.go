package outbound

import (
	"context"
	"errors"
	"fmt"
)

// failure is what the three errors have in common. Its cause is kept only where
// it is known to hold nothing secret, and of a server's words its certificate
// alone.
type failure struct {
	message string
	cause   error
}

// Error returns one line.
func (f failure) Error() string { return f.message }

// Unwrap returns the cause, or nil where it is not for others to see.
func (f failure) Unwrap() error { return f.cause }

// ConfigError means that a setting, or what it points at, must be changed. To
// try again as it is does not help.
type ConfigError struct{ failure }

// Temporary is false.
func (*ConfigError) Temporary() bool { return false }

// TransientError means that it may work at another time: the network, a server
// that is overloaded, a context that has ended.
type TransientError struct{ failure }

// Temporary is true. The OTLP exporters send again if, by way of
// [net/url.Error], this method says so.
func (*TransientError) Temporary() bool { return true }

// Timeout tells whether time ran out. [net/url.Error] passes this on as well.
func (e *TransientError) Timeout() bool { return errors.Is(e.cause, context.DeadlineExceeded) }

// RemoteError means that the other side was reached and failed the request: by
// its certificate, in the TLS handshake, by a refusal, or by an answer that is
// none. To try again as it is does not help.
type RemoteError struct {
	failure
	// StatusCode is the HTTP status of the answer, a redirect or one that refused
	// a token; 0 where there was none, or it was not for its status that the
	// request failed.
	StatusCode int
}

// Temporary is false.
func (*RemoteError) Temporary() bool { return false }

// HTTPStatus is StatusCode, for those who know errors by their methods.
func (e *RemoteError) HTTPStatus() int { return e.StatusCode }

// ErrClosed is the cause of the [TransientError] that acquisitions meet once
// their factory is closed.
var ErrClosed = errors.New("the factory of clients is closed: the process is stopping")

func configErrorf(format string, args ...any) *ConfigError {
	return &ConfigError{failure{message: fmt.Sprintf(format, args...)}}
}

func remoteErrorf(format string, args ...any) *RemoteError {
	return &RemoteError{failure: failure{message: fmt.Sprintf(format, args...)}}
}

func transientErrorf(format string, args ...any) *TransientError {
	return &TransientError{failure{message: fmt.Sprintf(format, args...)}}
}

// own returns the first of our errors in a chain, and nil if there is none.
func own(err error) error {
	var (
		config    *ConfigError
		transient *TransientError
		remote    *RemoteError
	)
	switch {
	case errors.As(err, &config):
		return config
	case errors.As(err, &transient):
		return transient
	case errors.As(err, &remote):
		return remote
	}
	return nil
}

// during returns one of our errors of the same kind, with the action before its
// message.
func during(action string, err error) error {
	return reworded(err, func(message string) string { return action + ": " + message })
}

// followed returns one of our errors of the same kind, with a remark after its
// message.
func followed(err error, remark string) error {
	return reworded(err, func(message string) string { return message + "; " + remark })
}

// reworded does not wrap the error once more: [net/url.Error] asks only the
// outermost error whether it is temporary.
func reworded(err error, word func(string) string) error {
	switch e := err.(type) {
	case *ConfigError:
		return &ConfigError{failure{word(e.message), e.cause}}
	case *TransientError:
		return &TransientError{failure{word(e.message), e.cause}}
	case *RemoteError:
		return &RemoteError{failure{word(e.message), e.cause}, e.StatusCode}
	}
	return err
}
