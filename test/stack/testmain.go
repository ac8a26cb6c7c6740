package stack

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// With starts a stack on what the control plane's Build has made, calls run with
// it, stops it, and returns run's exit code. Where that is not 0 it shows the
// handler's log, if that can be shown. An error says that the stack could not be
// started or stopped.
func With(ctx context.Context, options Options, run func(*Stack) int) (code int, err error) {
	options.Assets, err = controlplane.Locate()
	if err != nil {
		return 1, err
	}
	started, err := Start(ctx, options)
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := started.Stop(); stopErr != nil {
			code, err = 1, errors.Join(err, stopErr)
		}
	}()
	code = run(started)
	if log, ok := options.HandlerLog.(fmt.Stringer); ok && code != 0 {
		fmt.Fprintf(os.Stderr, "the handler's log:\n%s", log)
	}
	return code, nil
}

// Exit ends a TestMain with what [With] returns.
func Exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
