package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/test/handshake"
	"gateway-cert-operator.io/gateway-cert-handler/test/peers"
)

// fullVariable asks for the whole path, to a TLS client.
const fullVariable = "FULL"

func isFull() bool { return os.Getenv(fullVariable) == "1" }

var (
	//go:embed full.yaml
	fullScene string
	//go:embed certificate.yaml
	fullCertificate []byte
)

// hostname is what the Certificate is for.
const hostname = "shop.example.com"

// full is the demonstration with cert-manager before the product and Traefik
// behind it.
type full struct {
	demonstration
	programs peers.Programs
	// dir is where the CA is written for clients; it goes with the demonstration.
	dir string
}

// show has a certificate issued and served.
func (f full) show(ctx context.Context) (err error) {
	p, err := peers.Start(ctx, peers.Options{Programs: f.programs, Stack: f.stack, Progress: f.out})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := f.serve(ctx, p); err != nil {
		return err
	}
	if err := f.traces.show(ctx); err != nil {
		return err
	}
	if f.once {
		f.out.section("The certificate is served")
		return nil
	}
	ca := filepath.Join(f.dir, "ca.crt")
	if err := os.WriteFile(ca, p.CA, 0o644); err != nil {
		return fmt.Errorf("write the CA for curl: %w", err)
	}
	inviteClient(f.out, f.stack, client{port: p.HTTPSPort(), ca: ca})
	return f.wait(ctx, p)
}

// serve makes the scene and follows the Certificate through it.
func (f full) serve(ctx context.Context, p *peers.Peers) error {
	f.out.section("Applying test/run/full.yaml")
	ports := strings.NewReplacer("HTTPS_PORT", p.HTTPSPort(), "HTTP_PORT", p.HTTPPort())
	if _, err := f.stack.Kubectl(ctx, ports.Replace(fullScene), "apply", "-f", "-"); err != nil {
		return err
	}
	var certificate certmanagerv1.Certificate
	if err := yaml.UnmarshalStrict(fullCertificate, &certificate); err != nil {
		return fmt.Errorf("read test/run/certificate.yaml: %w", err)
	}
	tls, err := handshake.NewClient(p.CA, p.HTTPS)
	if err != nil {
		return err
	}
	f.out.section("Creating test/run/certificate.yaml")
	ctx, cancel := context.WithTimeout(ctx, convergeTimeout)
	defer cancel()
	stages, err := handshake.Journey{
		Config: f.stack.Config(), Client: tls, Trace: f.traces.wait,
		Gateway: types.NamespacedName{Namespace: "demo", Name: "edge"}, Certificate: &certificate,
	}.Follow(ctx)
	if err != nil {
		return fmt.Errorf("the certificate is not served within %s: %w", convergeTimeout, err)
	}
	answer, err := tls.Get(ctx, hostname)
	if err != nil {
		return err
	}
	f.out.section("From create to the first good handshake")
	fmt.Fprintf(f.out, "%s\nhttps://%s answers %d, Location %s, with the certificate %X of %s\n",
		handshake.Table(stages), hostname, answer.Status, answer.Location, answer.Certificate.SerialNumber, answer.Certificate.Issuer)
	return nil
}

// wait returns when ctx ends, or with an error when something that runs has
// ended.
func (f full) wait(ctx context.Context, p *peers.Peers) error {
	running, ctx := errgroup.WithContext(ctx)
	running.Go(func() error { return f.stack.Wait(ctx) })
	running.Go(func() error { return p.Wait(ctx) })
	return running.Wait()
}
