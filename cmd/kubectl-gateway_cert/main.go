// Command kubectl-gateway_cert is the kubectl plugin "kubectl gateway-cert", for
// people who look after Gateways and their Certificates.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Exit codes, beside 0.
const (
	exitFailed  = 1
	exitPending = 2
)

// errPending says that all went well, and that there is something to do or a link
// to mend.
var errPending = errors.New("there is something to do")

func main() {
	// After the first signal the default is back: a second one ends at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(command(ctx, arguments(os.Args), genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}))
}

// completer is the name under which kubectl looks for a plugin's completion.
const completer = "kubectl_complete-gateway_cert"

// arguments are those of the command line. Under the name of the completer, which
// is a link to the plugin, they are what is to be completed.
func arguments(line []string) []string {
	if strings.TrimSuffix(filepath.Base(line[0]), ".exe") == completer {
		return append([]string{cobra.ShellCompRequestCmd}, line[1:]...)
	}
	return line[1:]
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
