// Command cluster starts a real Kubernetes node with Knative and the handler on
// it, and removes it again. It needs root and Linux, and no cluster, no Docker and
// no registry.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/images"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
)

const usage = "usage, from the project's root: cluster possible | build | up | down"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "possible":
		return possible(ctx)
	case len(args) == 1 && args[0] == "up":
		return up(ctx)
	case len(args) == 1 && args[0] == "build":
		_, err := gather(ctx)
		return err
	case len(args) == 1 && args[0] == "down":
		state, err := machine.StateDir()
		if err != nil {
			return err
		}
		return machine.Stop(ctx, state)
	case len(args) == 2 && args[0] == "registry": // by the node's process 1
		return serveImages(ctx, args[1])
	}
	return errors.New(usage)
}

func serveImages(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read what to serve: %w", err)
	}
	var spec images.Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		return fmt.Errorf("read what to serve: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", machine.Registry)
	if err != nil {
		return fmt.Errorf("listen for pulls: %w", err)
	}
	return images.Serve(ctx, listener, spec)
}
