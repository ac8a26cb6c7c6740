package peers

import (
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

//go:embed cluster.yaml
var cluster string

const (
	// Issuer is the ClusterIssuer of the CA that signs for all namespaces.
	Issuer = "ca"
	// GatewayClass is that of the Gateways that are served.
	GatewayClass = "traefik"

	// readyTimeout is far above the second or two that it takes until the CA is
	// there and Traefik has read everything.
	readyTimeout = 60 * time.Second
	// stopGrace is far above what either takes to end.
	stopGrace = 20 * time.Second
)

// Options say how to run the peers.
type Options struct {
	Programs Programs
	// Stack is the running product, at whose API server they work.
	Stack *stack.Stack
	// Log receives what they print, one line per Write; nil drops it. Both share
	// it, so it must be safe for concurrent use.
	Log io.Writer
	// Progress receives a line for each thing that is done; nil drops it.
	Progress io.Writer
}

// Peers are the running programs. They die with this process.
type Peers struct {
	// HTTP and HTTPS are where Traefik listens, as host:port: a Gateway's listeners
	// are served if they are on these ports.
	HTTP, HTTPS string
	// CA is the certificate of Issuer, as PEM.
	CA []byte

	opts                 Options
	certManager, traefik *controlplane.Process
}

// Start runs the peers and returns when certificates are issued and Gateways are
// served. Stop ends them; if Start fails, what was started is stopped.
func Start(ctx context.Context, opts Options) (*Peers, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	p := &Peers{opts: opts}
	for _, step := range []struct {
		says string
		do   func(context.Context) error
	}{
		{"ServiceAccounts, a CA issuer and a GatewayClass", p.applyCluster},
		{"cert-manager's controllers, as ServiceAccount cert-manager", p.startCertManager},
		{"Traefik's Gateway API provider and TLS manager, as ServiceAccount traefik", p.startTraefik},
	} {
		began := time.Now()
		if err := step.do(ctx); err != nil {
			return nil, errors.Join(err, p.Stop())
		}
		fmt.Fprintf(opts.Progress, "%5.1f s  %s\n", time.Since(began).Seconds(), step.says)
	}
	return p, nil
}

func (p *Peers) applyCluster(ctx context.Context) error {
	_, err := p.opts.Stack.Kubectl(ctx, cluster, "apply", "-f", "-")
	return err
}

// startCertManager returns when the CA is there and can sign.
func (p *Peers) startCertManager(ctx context.Context) (err error) {
	p.certManager, err = p.start(ctx, program{"cert-manager", p.opts.Programs.CertManager, p.opts.Log})
	if err != nil {
		return err
	}
	if err := p.waitFor(ctx, "Ready", "clusterissuer/"+Issuer); err != nil {
		return err
	}
	text, err := p.opts.Stack.Kubectl(ctx, "", "-n", "cert-manager", "get", "secret", "ca", `-o=jsonpath={.data.tls\.crt}`)
	if err != nil {
		return err
	}
	if p.CA, err = base64.StdEncoding.DecodeString(text); err != nil {
		return fmt.Errorf("read the CA's certificate: %w", err)
	}
	return nil
}

// startTraefik returns when it has said that it serves its class.
func (p *Peers) startTraefik(ctx context.Context) (err error) {
	log := newAddressFinder(p.opts.Log)
	p.traefik, err = p.start(ctx, program{"traefik", p.opts.Programs.Traefik, log})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	select {
	case found := <-log.found:
		p.HTTP, p.HTTPS = found.HTTP, found.HTTPS
	case <-p.traefik.Done():
		return fmt.Errorf("traefik ended before it listened; it said: %s", log.last())
	case <-ctx.Done():
		return fmt.Errorf("wait for traefik to listen: %w; it said: %s", context.Cause(ctx), log.last())
	}
	return p.waitFor(ctx, "Accepted", "gatewayclass/"+GatewayClass)
}

// program is one of the peers: the name is that of its namespace and of its
// ServiceAccount too.
type program struct {
	name, path string
	log        io.Writer
}

func (p *Peers) start(ctx context.Context, of program) (*controlplane.Process, error) {
	kubeconfig, err := p.opts.Stack.AccountKubeconfig(ctx, of.name, of.name)
	if err != nil {
		return nil, err
	}
	return controlplane.StartProcess(controlplane.ProcessOptions{
		Name: of.name, Path: of.path, Env: []string{"KUBECONFIG=" + kubeconfig}, Output: of.log,
	})
}

func (p *Peers) waitFor(ctx context.Context, condition, object string) error {
	_, err := p.opts.Stack.Kubectl(ctx, "", "wait", "--for=condition="+condition, "--timeout="+readyTimeout.String(), object)
	return err
}

// HTTPPort and HTTPSPort are the ports of HTTP and HTTPS.
func (p *Peers) HTTPPort() string { return port(p.HTTP) }

// HTTPSPort is for the annotation listener-port of a Gateway.
func (p *Peers) HTTPSPort() string { return port(p.HTTPS) }

func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

// Wait returns when ctx ends, or with an error when one of the peers has ended by
// itself, which none of them should.
func (p *Peers) Wait(ctx context.Context) error {
	select {
	case <-p.certManager.Done():
		return errors.New("cert-manager has ended by itself")
	case <-p.traefik.Done():
		return errors.New("traefik has ended by itself")
	case <-ctx.Done():
		return nil
	}
}

// Stop ends the peers. Their objects stay.
func (p *Peers) Stop() error {
	var errs []error
	for _, process := range []*controlplane.Process{p.traefik, p.certManager} {
		if process != nil {
			errs = append(errs, process.Stop(stopGrace))
		}
	}
	return errors.Join(errs...)
}
