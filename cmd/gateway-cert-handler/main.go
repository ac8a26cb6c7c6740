// Command gateway-cert-handler receives CloudEvents about Certificates and
// Gateways and keeps the Gateways' HTTPS listeners as the Certificates ask.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/version"
	"gateway-cert-operator.io/gateway-cert-handler/config"
)

func main() {
	// After the first signal the default is back: a second one ends at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `gateway-cert-handler keeps the HTTPS listeners of Gateways as Certificates ask.

It takes CloudEvents by POST, and answers GET on / and /healthz.

Commands:
  validate FILE...  check settings files, and start nothing

Environment:
  PORT        port, or host:port, to listen on (default 8080)
  KUBECONFIG  kubeconfig file (default: the pod's ServiceAccount)
  OTEL_*      where traces, metrics and logs go; nowhere unless
              OTEL_EXPORTER_OTLP_ENDPOINT is set
  K_SINK      URL that outcomes are sent to (default: none are sent), with the
              extensions in K_CE_OVERRIDES

Flags:
`

// command is main with its surroundings as arguments. It returns the exit code:
// 0 after a signal, 1 when the process cannot do its work, 2 for wrong usage.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "validate" {
		return validate(args[1:], streams{in: os.Stdin, out: stdout, err: stderr})
	}
	flags := flag.NewFlagSet("gateway-cert-handler", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage); flags.PrintDefaults() }
	showVersion := flags.Bool("version", false, "print the version and exit")
	var from settingsSource
	flags.StringVar(&from.file, "config", "", "settings `FILE`, followed while the process runs (default: none, the contract's defaults hold)")
	debugAddress := flags.String("debug-address", "", "loopback `ADDRESS`, such as 127.0.0.1:6060, to serve /debug/plan, /debug/outcomes and /debug/pprof on (default: nowhere)")
	flags.StringVar(&from.configMap, "config-map", "", "`NAME` of the ConfigMap that the file is mounted from, which gets an Event when it is refused (default: none)")
	switch err := flags.Parse(args); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "gateway-cert-handler takes no arguments but the command validate, which comes first; got %q; see -help\n", flags.Args())
		return 2
	case *showVersion:
		fmt.Fprintln(stdout, version.String())
		return 0
	}
	logger := newLogger(stderr)
	if err := run(ctx, logger, options{settings: from, debugAddress: *debugAddress}); err != nil {
		logger.Error("gateway-cert-handler stops", "error", tell(err, stderr))
		return 1
	}
	return 0
}

// tell writes faults of the settings as validate does: in a line of the log they
// would be hard to read. It returns what is left for that line.
func tell(err error, stderr io.Writer) error {
	var faults *config.Faults
	if !errors.As(err, &faults) {
		return err
	}
	fmt.Fprintln(stderr, faults)
	return fmt.Errorf("the settings in %s have %d faults", faults.File, len(faults.List)+faults.Omitted)
}

// listen opens what PORT, which Knative sets, names: a port on every address,
// or host:port.
func listen(ctx context.Context) (net.Listener, error) {
	address := cmp.Or(os.Getenv("PORT"), "8080")
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on PORT %q: %w", os.Getenv("PORT"), err)
	}
	return listener, nil
}
