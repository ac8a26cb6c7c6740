// Command run shows the main job at work on one machine: a real API server,
// Knative's real adapters, the handler, a sample, and on the terminal each
// event, plan, patch and trace as it happens. It stays until Ctrl-C; with ONCE=1
// it leaves when the sample has converged. With TRACES=jaeger the traces go to a
// real Jaeger instead of the terminal. With FULL=1 cert-manager issues the sample's
// certificate, and Traefik serves it to a TLS client.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/peers"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	once := os.Getenv("ONCE") == "1"
	err := run(ctx, once)
	if once && err == nil && ctx.Err() != nil {
		err = errors.New("interrupted before the sample had converged")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make run:", err)
		os.Exit(1)
	}
}

// run returns nil when the user has ended it or, with once, when the sample has
// converged.
func run(ctx context.Context, once bool) (err error) {
	wanted, err := readDestination(os.LookupEnv)
	if err != nil {
		return err
	}
	out := &terminal{w: os.Stdout}
	bin, err := os.MkdirTemp("", "gateway-cert-handler-bin-")
	if err != nil {
		return fmt.Errorf("make a directory for the handler: %w", err)
	}
	defer os.RemoveAll(bin)
	options, programs, err := build(ctx, bin, out)
	if err != nil {
		return interrupted(ctx, err)
	}
	traces, err := wanted.start(ctx, out)
	if err != nil {
		return interrupted(ctx, err)
	}
	// After the stack, whose handler sends its last spans while it stops.
	defer func() {
		if stopErr := traces.stop(); err == nil {
			err = stopErr
		}
	}()
	log := &eventLog{out: out}
	options.HandlerEnv, options.HandlerLog = traces.env, log

	out.section("Starting")
	s, err := stack.Start(ctx, options)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() {
		out.section("Stopping")
		if stopErr := s.Stop(); err == nil {
			err = stopErr
		}
	}()
	log.stack.Store(s)
	d := demonstration{s, out, traces, once}
	if isFull() {
		return interrupted(ctx, full{d, programs, bin}.show(ctx))
	}
	return interrupted(ctx, d.show(ctx))
}

// demonstration is what runs, and how it is shown.
type demonstration struct {
	stack  *stack.Stack
	out    *terminal
	traces backend
	once   bool
}

// show applies the sample and watches what comes of it.
func (d demonstration) show(ctx context.Context) error {
	d.out.section("Applying test/run/sample.yaml")
	if _, err := d.stack.Kubectl(ctx, sample, "apply", "-f", "-"); err != nil {
		return err
	}
	if err := waitForSample(ctx, d.stack); err != nil {
		return err
	}
	if err := d.traces.show(ctx); err != nil {
		return err
	}
	if d.once {
		d.out.section("The sample has converged")
		return nil
	}
	invite(d.out, d.stack)
	return d.stack.Wait(ctx)
}

// build makes the programs that are not there yet; the peers only for the whole
// path.
func build(ctx context.Context, bin string, out *terminal) (options stack.Options, programs peers.Programs, err error) {
	out.section("Building what is missing")
	options.Progress = out
	if options.Assets, err = controlplane.Build(ctx, out); err != nil {
		return options, programs, err
	}
	if isFull() {
		if programs, err = peers.Build(ctx, out); err != nil {
			return options, programs, err
		}
	}
	fmt.Fprintln(out, "the handler (some minutes the first time, then seconds)")
	options.Handler, err = stack.BuildHandler(ctx, bin)
	return options, programs, err
}

// interrupted makes the user's own end of it no error.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
