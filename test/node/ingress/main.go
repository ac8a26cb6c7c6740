// Command ingress stands in for a networking layer of Knative: it takes up the
// KIngresses of its class, says that they are ready, and forwards what comes in to
// the Services that they name. See README.md for what it cannot do.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"knative.dev/networking/pkg/client/clientset/versioned"
)

// Class is what config-network of Knative Serving is to say.
const class = "stand-in.ingress.networking.knative.dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig `FILE`")
	ip := flag.String("ip", "", "`ADDRESS` to listen on, at port 80; Knative is told to send requests there")
	dns := flag.String("dns", "", "`HOST:PORT` of the cluster's name server")
	flag.Parse()
	if err := run(ctx, *kubeconfig, *ip, *dns); err != nil {
		fmt.Fprintln(os.Stderr, "ingress:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, ip, dns string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	client, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	f := &follower{client: client.NetworkingV1alpha1(), ip: ip, logger: slog.Default()}
	f.routes.Store(&routes{})
	go f.follow(ctx)

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(ip, "80"))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: newProxy(&f.routes, dns), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
