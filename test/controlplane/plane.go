package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Options for Start.
type Options struct {
	// Assets are the programs, from Build or Locate.
	Assets Assets
	// Output receives what etcd and kube-apiserver print; nil drops it. It must
	// be safe for concurrent use.
	Output io.Writer
}

// ControlPlane is a running Kubernetes API server with RBAC and the CRDs the
// project works with, but without controllers: nothing makes pods, default
// ServiceAccounts or tokens, and nothing collects garbage.
type ControlPlane struct {
	environment *envtest.Environment
	lifeline    *lifeline // nil with an existing cluster
	config      *rest.Config
}

// Start starts etcd and kube-apiserver on free loopback ports, installs the
// CRDs of the module versions in go.mod and waits until all of them are
// served, 5 to 8 seconds in all. The servers end with Stop, and at the latest
// with this process. When ctx ends during the start, what was started is
// stopped.
//
// With USE_EXISTING_CLUSTER=true the cluster of KUBECONFIG is used instead.
// CRDs that it has are left as they are; missing ones are added and stay.
func Start(ctx context.Context, opts Options) (*ControlPlane, error) {
	given, err := readOverrides()
	if err != nil {
		return nil, err
	}
	crds, err := readCRDs(ctx)
	if err != nil {
		return nil, err
	}
	// controller-runtime complains on standard error when nobody has chosen a
	// logger; what matters to callers comes back as errors.
	ctrllog.SetLogger(logr.Discard())

	plane := &ControlPlane{environment: &envtest.Environment{UseExistingCluster: &given.existingCluster}}
	if err := plane.start(ctx, opts, given.existingCluster); err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	if err := installCRDs(ctx, plane.config, crds); err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	return plane, nil
}

func (c *ControlPlane) start(ctx context.Context, opts Options, existing bool) error {
	var tail outputTail
	if !existing {
		output := io.Writer(&tail)
		if opts.Output != nil {
			output = io.MultiWriter(&tail, opts.Output)
		}
		if err := c.useAssets(opts.Assets, output); err != nil {
			return err
		}
	}
	config, err := c.environment.Start()
	if err != nil {
		return fmt.Errorf("start the control plane: %w\n%s", err, tail.String())
	}
	c.config = config
	if ctx.Err() != nil {
		return fmt.Errorf("start the control plane: %w", context.Cause(ctx))
	}
	return nil
}

// useAssets has the environment run the built servers under a lifeline.
func (c *ControlPlane) useAssets(assets Assets, output io.Writer) error {
	if assets.KubernetesDir == "" {
		return errors.New("start the control plane: no programs given: pass the Assets that Build or Locate returned")
	}
	line, err := newLifeline()
	if err != nil {
		return err
	}
	c.lifeline = line
	server, store := c.environment.ControlPlane.GetAPIServer(), &envtest.Etcd{}
	c.environment.ControlPlane.Etcd = store
	c.environment.ControlPlane.KubectlPath = assets.Kubectl()
	server.Out, server.Err, store.Out, store.Err = output, output, output, output
	if store.Path, store.DataDir, err = line.place(assets.KubernetesDir, etcd); err != nil {
		return err
	}
	server.Path, server.CertDir, err = line.place(assets.KubernetesDir, apiServer)
	return err
}

// Config returns a copy of the admin's client configuration, with client-side
// rate limits high enough for tests.
func (c *ControlPlane) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Stop ends the servers and removes their data. An existing cluster is left
// alone.
func (c *ControlPlane) Stop() error {
	var errs []error
	if err := c.environment.Stop(); err != nil {
		errs = append(errs, fmt.Errorf("stop the control plane: %w", err))
	}
	if c.lifeline != nil {
		errs = append(errs, c.lifeline.close())
		c.lifeline = nil
	}
	return errors.Join(errs...)
}
