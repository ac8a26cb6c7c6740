// Command traefik is what of Traefik stands between a Gateway and a TLS client:
// its own Gateway API provider, which reads the API server and writes statuses;
// its TLS manager, which picks the certificate by SNI; and its matching of
// requests to routes. The whole server would bring a client for every cloud that it
// knows.
//
// A route is answered if a RequestRedirect does it. There are no backends.
//
// It listens on two free ports of 127.0.0.1 and says which in one line of JSON on
// standard error, {"msg":"listening","http":ADDRESS,"https":ADDRESS}. It runs as
// whom the kubeconfig of KUBECONFIG names, until SIGTERM.
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
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "traefik:", err)
		os.Exit(1)
	}
}
