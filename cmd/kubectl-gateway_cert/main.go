// Command kubectl-gateway_cert is the kubectl plugin "kubectl gateway-cert", for
// people who look after Gateways and their Certificates.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Exit codes, beside 0.
const (
	exitFailed  = 1
	exitPending = 2
)

// errPending says that all went well and that there is something to do.
var errPending = errors.New("there is something to do")

func main() {
	// After the first signal the default is back: a second one ends at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(command(ctx, os.Args[1:], genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}))
}

// command is main with its surroundings as arguments. It returns the exit code.
func command(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	root := newRoot(streams)
	root.SetArgs(args)
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return 0
	case errors.Is(err, errPending):
		return exitPending
	default:
		fmt.Fprintf(streams.ErrOut, "error: %v\n", err)
		return exitFailed
	}
}
