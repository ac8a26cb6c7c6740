// Command certmanager is cert-manager's own controllers that make a Certificate's
// Secret, of self-signed and CA issuers, started as its cmd/controller starts
// them. What they do not need is left out: leader election, ACME, the controllers
// that make Certificates for Gateways and Ingresses, and servers for metrics and
// probes, which listen on fixed ports.
//
// It runs as whom the kubeconfig of KUBECONFIG names, until SIGTERM.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("KUBECONFIG")); err != nil {
		fmt.Fprintln(os.Stderr, "certmanager:", err)
		os.Exit(1)
	}
}
