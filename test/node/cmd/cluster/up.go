package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/images"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/install"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/kubectl"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/parts"
)

// up builds what is missing, starts the node and puts everything onto it.
func up(ctx context.Context) error {
	if err := possible(ctx); err != nil {
		return err
	}
	options, err := gather(ctx)
	if err != nil {
		return err
	}
	state := options.State
	start := time.Now()
	step := func(name string) { fmt.Fprintf(os.Stderr, "%6.1f s  %s\n", time.Since(start).Seconds(), name) }
	if err := machine.Start(ctx, options); err != nil {
		return err
	}
	if err := fill(ctx, state, options.Kubectl, step); err != nil {
		return fmt.Errorf("%w\nthe node stays up for you to look at it: logs are in %s, make cluster-down removes it", err, machine.LogDir(state))
	}
	fmt.Printf("export KUBECONFIG=%s\n", machine.Kubeconfig(state))
	return nil
}

// gather builds and unpacks all parts of the node.
func gather(ctx context.Context) (machine.Options, error) {
	state, err := machine.StateDir()
	if err != nil {
		return machine.Options{}, err
	}
	debian, err := parts.Unpack(ctx, os.Stderr)
	if err != nil {
		return machine.Options{}, err
	}
	assets, err := controlplane.Build(ctx, os.Stderr)
	if err != nil {
		return machine.Options{}, err
	}
	built, err := parts.Build(ctx, os.Stderr)
	if err != nil {
		return machine.Options{}, err
	}
	own, err := os.Executable()
	if err != nil {
		return machine.Options{}, fmt.Errorf("find this program: %w", err)
	}
	root, err := os.Getwd()
	if err != nil {
		return machine.Options{}, fmt.Errorf("find the project's root: %w", err)
	}
	beside := func(name string) string { return filepath.Join(filepath.Dir(own), name) }
	spec := images.Spec{
		Programs: map[string]string{machine.Pause: beside("idle")},
		Layouts:  map[string]string{install.Handler: filepath.Join(root, "bin", "image", "layout")},
	}
	for pkg, program := range built.InPods {
		spec.Programs[machine.Repository(pkg)] = program
	}
	return machine.Options{
		State: state, Debian: debian, Cluster: own, Ingress: beside("ingress"),
		Etcd: filepath.Join(assets.KubernetesDir, "etcd"), APIServer: filepath.Join(assets.KubernetesDir, "kube-apiserver"),
		Kubectl:           assets.Kubectl(),
		ControllerManager: built.OnNode[parts.ControllerManager], Scheduler: built.OnNode[parts.Scheduler],
		Kubelet: built.OnNode[parts.Kubelet], Proxy: built.OnNode[parts.Proxy], CoreDNS: built.OnNode[parts.CoreDNS],
		Images: spec,
	}, nil
}

// fill waits for the node and installs what is to run on it.
func fill(ctx context.Context, state, program string, step func(string)) error {
	target := install.Target{Kubectl: kubectl.Kubectl{Path: program, Kubeconfig: machine.Kubeconfig(state)}, Scratch: state}
	var err error
	if target.Root, err = os.Getwd(); err != nil {
		return fmt.Errorf("find the project's root: %w", err)
	}
	if err := waitReady(ctx, target.Kubectl); err != nil {
		return err
	}
	step("the node is Ready")
	references, err := waitImages(ctx, state)
	if err != nil {
		return err
	}
	target.Reference = func(name string) (string, bool) {
		reference, ok := references[machine.Repository(name)]
		return reference, ok
	}
	step("images can be pulled")
	if err := target.Platform(ctx); err != nil {
		return err
	}
	step("Knative and cert-manager are applied")
	if err := target.Available(ctx); err != nil {
		return err
	}
	step("Knative and cert-manager are Available")
	if err := target.Product(ctx); err != nil {
		return err
	}
	if err := target.ProductReady(ctx); err != nil {
		return err
	}
	step("the handler and its sources are Ready")
	return nil
}

const (
	patience = 2 * time.Minute
	pause    = 250 * time.Millisecond
)

// waitReady waits until the node takes pods.
func waitReady(ctx context.Context, k kubectl.Kubectl) error {
	return poll(ctx, "the node to be Ready", func(ctx context.Context) error {
		out, err := k.Run(ctx, nil, "get", "nodes", "-o", `jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}`)
		if err == nil && out != "True" {
			err = fmt.Errorf("its status is %q", out)
		}
		return err
	})
}

// waitImages returns the images' references by repository.
func waitImages(ctx context.Context, state string) (map[string]string, error) {
	var references map[string]string
	err := poll(ctx, "the node's images", func(context.Context) error {
		text, err := os.ReadFile(machine.ReferencesFile(state))
		if errors.Is(err, fs.ErrNotExist) {
			return errors.New("the registry has not made them yet, see registry.log")
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &references)
	})
	return references, err
}

// poll asks until the answer is nil.
func poll(ctx context.Context, what string, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, errors.Join(context.Cause(ctx), err))
		}
	}
}
