// Command run shows the main job at work on one machine: a real API server,
// Knative's real adapters, the handler, a sample, and on the terminal each
// event, plan, patch and trace as it happens. It stays until Ctrl-C; with ONCE=1
// it leaves when the sample has converged.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
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
	out := &terminal{w: os.Stdout}
	bin, err := os.MkdirTemp("", "gateway-cert-handler-bin-")
	if err != nil {
		return fmt.Errorf("make a directory for the handler: %w", err)
	}
	defer os.RemoveAll(bin)
	options, err := build(ctx, bin, out)
	if err != nil {
		return interrupted(ctx, err)
	}
	env, stopTraces, err := traces(out)
	if err != nil {
		return err
	}
	defer stopTraces()
	log := &eventLog{out: out}
	options.HandlerEnv, options.HandlerLog = env, log

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
	return interrupted(ctx, show(ctx, s, out, once))
}

// show applies the sample and watches what comes of it.
func show(ctx context.Context, s *stack.Stack, out *terminal, once bool) error {
	out.section("Applying test/run/sample.yaml")
	if _, err := s.Kubectl(ctx, sample, "apply", "-f", "-"); err != nil {
		return err
	}
	if err := waitForSample(ctx, s); err != nil {
		return err
	}
	if once {
		out.section("The sample has converged")
		return nil
	}
	invite(out, s)
	return s.Wait(ctx)
}

func build(ctx context.Context, bin string, out *terminal) (stack.Options, error) {
	out.section("Building what is missing")
	assets, err := controlplane.Build(ctx, out)
	if err != nil {
		return stack.Options{}, err
	}
	fmt.Fprintln(out, "the handler (some minutes the first time, then seconds)")
	handler, err := stack.BuildHandler(ctx, bin)
	return stack.Options{Assets: assets, Handler: handler, Progress: out}, err
}

// traces decides where the handler's traces go: where the standard variables
// say or, if they do not, to a collector here that prints them.
func traces(out *terminal) (env []string, stop func(), err error) {
	decided := false
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "OTEL_") {
			continue
		}
		env = append(env, variable)
		name, _, _ := strings.Cut(variable, "=")
		decided = decided || slices.Contains(deciding, name)
	}
	if decided {
		return env, func() {}, nil
	}
	c, err := collector.Start()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go printTraces(ctx, c, out)
	env = append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.Endpoint(), "OTEL_BSP_SCHEDULE_DELAY=100")
	return env, func() { cancel(); _ = c.Close() }, nil
}

// deciding are the variables that say where traces go, or that they go nowhere.
var deciding = []string{
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_SDK_DISABLED",
}

// interrupted makes the user's own end of it no error.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
