// Command jaeger builds Jaeger if it is not in the cache yet. Progress goes to
// standard error; the last line on standard output is the program's path, as
// JAEGER_BINARY wants it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/jaeger"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	program, err := jaeger.Build(ctx, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jaeger:", err)
		os.Exit(1)
	}
	fmt.Println(program)
}
