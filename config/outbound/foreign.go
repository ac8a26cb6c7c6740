package outbound

import (
	"context"
	"errors"
)

// foreignError sorts an error of the caller's own code, such as a [Trust]: by
// its method Temporary if it has one. An ended context is transient, and all
// else somebody must look at.
func foreignError(action string, err error) error {
	because := failure{action + ": " + err.Error(), err}
	if transient(err) {
		return &TransientError{because}
	}
	return &ConfigError{because}
}

func transient(err error) bool {
	if told, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err); ok {
		return told.Temporary()
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
