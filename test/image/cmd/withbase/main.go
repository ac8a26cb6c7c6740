// Command withbase runs a command, such as ko, that finds our base image in a
// registry on loopback, named by KO_DEFAULTBASEIMAGE. The registry keeps nothing
// and ends with the command.
//
// ko writes the base's name into the image. So that it is the same each time, it has
// no port in it: the command gets to the registry by a proxy for plain HTTP.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gateway-cert-operator.io/gateway-cert-handler/test/image/base"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "withbase:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command []string) error {
	if len(command) == 0 {
		return errors.New("give the command to run")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start a registry: %w", err)
	}
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: 5 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends by Close
	defer server.Close()

	address := listener.Addr().String()
	digest, err := push(ctx, address)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "KO_DEFAULTBASEIMAGE="+host+"/"+repository+"@"+digest, "HTTP_PROXY=http://"+address, "http_proxy=http://"+address)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run %s: %w", command[0], err)
	}
	return nil
}

const (
	// host is nobody's (RFC 6761), and ko asks it by plain HTTP.
	host       = "gateway-cert-handler.localhost"
	repository = "base"
)

// handler is the registry, and a proxy to whatever else is asked for by plain HTTP.
func handler() http.Handler {
	images := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	others := &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "" && r.URL.Host != host {
			others.ServeHTTP(w, r)
			return
		}
		images.ServeHTTP(w, r)
	})
}

// push returns the digest of the base.
func push(ctx context.Context, address string) (string, error) {
	tag, err := name.NewTag(address + "/" + repository + ":latest")
	if err != nil {
		return "", fmt.Errorf("name the base: %w", err)
	}
	index, err := base.Index(base.New)
	if err != nil {
		return "", err
	}
	if err := remote.WriteIndex(tag, index, remote.WithContext(ctx)); err != nil {
		return "", fmt.Errorf("push the base to the registry: %w", err)
	}
	digest, err := index.Digest()
	if err != nil {
		return "", fmt.Errorf("name the base: %w", err)
	}
	return digest.String(), nil
}
