package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

const (
	// Namespace is where the manifests put everything.
	Namespace = "gateway-cert"

	handlerAccount = "gateway-cert-handler"
	sourceAccount  = "gateway-cert-source"

	// stopGrace is longer than the handler's own drain and flush timeouts.
	stopGrace = 60 * time.Second
)

// Options say how to run the stack.
type Options struct {
	// Assets are the control plane's programs.
	Assets controlplane.Assets
	// Manifests is the directory that is applied, below the module's root; empty
	// means knative/base.
	Manifests string
	// Handler is the path of the handler's program; empty has one built, with the
	// race detector.
	Handler string
	// HandlerArgs come before the arguments that a handler has of its own.
	HandlerArgs []string
	// HandlerEnv is added to the handler's environment, as NAME=value.
	HandlerEnv []string
	// Observability is the data of Knative's ConfigMap config-observability for
	// the adapters; nil leaves their telemetry off.
	Observability map[string]string
	// HandlerLog and AdapterLog receive what those print, one line per Write;
	// nil drops it. Both adapters share AdapterLog, which must be safe for
	// concurrent use.
	HandlerLog, AdapterLog io.Writer
	// Progress receives a line for each thing that is done; nil drops it.
	Progress io.Writer
}

// Stack is the running product.
type Stack struct {
	opts     Options
	plane    *controlplane.ControlPlane
	dir      string
	handler  *Handler
	adapters []*controlplane.Adapter
	// front is where the adapters send, if not to the handler itself.
	front string
	// apiServer is set once the API server has been started again.
	apiServer *controlplane.Process
	// apiServerArgs is set while the API server is killed.
	apiServerArgs []string
}

// Start runs the stack and returns when every change of a Certificate or a
// Gateway will reach the handler. Stop ends it; if Start fails, or ctx ends
// meanwhile, all that was started is stopped.
func Start(ctx context.Context, opts Options) (*Stack, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	if opts.Manifests == "" {
		opts.Manifests = "knative/base"
	}
	dir, err := os.MkdirTemp("", "gateway-cert-handler-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for kubeconfigs: %w", err)
	}
	s := &Stack{opts: opts, dir: dir}
	if err := s.buildHandler(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	for _, step := range []struct {
		says string
		do   func(context.Context) error
	}{
		{"etcd and kube-apiserver, with the CRDs of Gateway API, cert-manager and Knative", s.startControlPlane},
		{"kubectl apply -k " + opts.Manifests, s.applyManifests},
		{"the handler, as ServiceAccount " + handlerAccount, s.startHandler},
		{"Knative's adapter for Certificates and for Gateways, as ServiceAccount " + sourceAccount, s.startAdapters},
	} {
		began := time.Now()
		if err := step.do(ctx); err != nil {
			return nil, errors.Join(err, s.Stop())
		}
		fmt.Fprintf(opts.Progress, "%5.1f s  %s\n", time.Since(began).Seconds(), step.says)
	}
	return s, nil
}

// Config returns the admin's client configuration.
func (s *Stack) Config() *rest.Config { return s.plane.Config() }

// HandlerURL is where the handler takes events.
func (s *Stack) HandlerURL() string { return s.handler.URL }

// HandlerPID is the handler's process.
func (s *Stack) HandlerPID() int { return s.handler.PID() }

// Wait returns when ctx ends, or with an error when the handler or an adapter has
// ended by itself, which none of them should.
func (s *Stack) Wait(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan string, 1+len(s.adapters))
	watch := func(name string, process *controlplane.Process) {
		select {
		case <-process.Done():
			ended <- name
		case <-ctx.Done():
		}
	}
	go watch("the handler", s.handler.Process)
	for _, adapter := range s.adapters {
		go watch("a receive adapter", adapter.Process)
	}
	select {
	case name := <-ended:
		return fmt.Errorf("%s has ended by itself", name)
	case <-ctx.Done():
		return nil
	}
}

// Kubeconfig is the path of the admin's kubeconfig. It is gone after Stop.
func (s *Stack) Kubeconfig() string { return filepath.Join(s.dir, "admin.kubeconfig") }

// HandlerKubeconfig is the path of the handler's kubeconfig. It is gone after Stop.
func (s *Stack) HandlerKubeconfig() string { return s.kubeconfigOf(handlerAccount) }

func (s *Stack) kubeconfigOf(account string) string {
	return filepath.Join(s.dir, account+".kubeconfig")
}

// Stop ends everything, the adapters first so that no event meets a closed
// port, and removes what was written.
func (s *Stack) Stop() error {
	var errs []error
	for _, adapter := range s.adapters {
		errs = append(errs, adapter.Stop(stopGrace))
	}
	if s.handler != nil {
		errs = append(errs, s.stopHandler())
	}
	if s.apiServer != nil {
		errs = append(errs, s.apiServer.Stop(stopGrace))
	}
	if s.plane != nil {
		errs = append(errs, s.plane.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// stopHandler ends the handler as Kubernetes does, which must not fail it. One
// that has ended by itself is somebody else's to report.
func (s *Stack) stopHandler() error {
	select {
	case <-s.handler.Done():
		return nil
	default:
	}
	if err := s.handler.Stop(stopGrace); err != nil {
		return err
	}
	switch code, err := s.handler.Wait(context.Background()); {
	case err != nil:
		return err
	case code != 0:
		return fmt.Errorf("the handler was stopped by SIGTERM and left with exit code %d, want 0", code)
	}
	return nil
}

func (s *Stack) startControlPlane(ctx context.Context) (err error) {
	if s.plane, err = controlplane.Start(ctx, controlplane.Options{Assets: s.opts.Assets}); err != nil {
		return err
	}
	if err := s.waitForStorage(ctx); err != nil {
		return err
	}
	return s.plane.WriteKubeconfig(s.Kubeconfig())
}

// accountKubeconfig writes a kubeconfig of a ServiceAccount of the manifests.
func (s *Stack) accountKubeconfig(ctx context.Context, account string) (string, error) {
	path := s.kubeconfigOf(account)
	return path, s.plane.ServiceAccountKubeconfig(ctx, Namespace, account, path)
}

// AccountKubeconfig writes a kubeconfig of a ServiceAccount that somebody has
// made, for a program that runs beside the product, and returns its path. It is
// gone after Stop.
func (s *Stack) AccountKubeconfig(ctx context.Context, namespace, account string) (string, error) {
	path := s.kubeconfigOf(namespace + "." + account)
	return path, s.plane.ServiceAccountKubeconfig(ctx, namespace, account, path)
}
