package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/kubectl"
)

// Target is a cluster and what is to be put onto it.
type Target struct {
	Kubectl kubectl.Kubectl
	// Root is the project's, absolute.
	Root string
	// Reference returns the reference of the image of a program, by its import
	// path or, of the handler, its name.
	Reference func(program string) (string, bool)
	// Scratch is a directory for files on the way.
	Scratch string
}

// Names in the images that a Target refers to.
const (
	Handler = "gateway-cert-handler"
	adapter = "knative.dev/eventing/cmd/apiserver_receive_adapter"
)

// Platform applies the CRDs of all kinds, then Knative Serving and Eventing and
// cert-manager. It does not wait for them to run.
func (t Target) Platform(ctx context.Context) error {
	all, err := t.documents(ctx)
	if err != nil {
		return err
	}
	var definitions, rest []document
	for _, d := range all {
		if d.isDefinition() {
			definitions = append(definitions, d)
		} else {
			rest = append(rest, d)
		}
	}
	if err := t.apply(ctx, definitions); err != nil {
		return fmt.Errorf("apply CRDs: %w", err)
	}
	if _, err := t.Kubectl.Run(ctx, nil, "wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"); err != nil {
		return err
	}
	if err := t.apply(ctx, rest); err != nil {
		return fmt.Errorf("apply Knative and cert-manager: %w", err)
	}
	return nil
}

// documents are the CRDs of all kinds, Knative, and cert-manager.
func (t Target) documents(ctx context.Context) ([]document, error) {
	var all []document
	for _, from := range []struct {
		dir     string
		sources []source
	}{{".", kinds}, {servingModule, serving}, {eventingModule, eventing}} {
		documents, err := read(ctx, filepath.Join(t.Root, from.dir), from.sources)
		if err != nil {
			return nil, err
		}
		all = append(all, documents...)
	}
	certManager, err := certManager(t.Root)
	if err != nil {
		return nil, err
	}
	return fit(append(all, certManager...))
}

func (t Target) apply(ctx context.Context, documents []document) error {
	text, err := write(documents)
	if err != nil {
		return err
	}
	if text, err = withImages(text, t.Reference); err != nil {
		return err
	}
	_, err = t.Kubectl.Run(ctx, text, "apply", "--server-side", "-f", "-")
	return err
}

// Available waits until all Deployments of the platform are.
func (t Target) Available(ctx context.Context) error {
	for _, namespace := range []string{"knative-serving", "knative-eventing", certManagerNamespace} {
		if _, err := t.Kubectl.Run(ctx, nil, "-n", namespace, "wait", "--for=condition=Available", "deployment", "--all", "--timeout=300s"); err != nil {
			return err
		}
	}
	return nil
}

// Product applies knative/base with components, directories below the project's
// root, unchanged but for the names of images.
func (t Target) Product(ctx context.Context, components ...string) error {
	overlay, err := t.overlay(components)
	if err != nil {
		return err
	}
	dir := filepath.Join(t.Scratch, "product")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make an overlay: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), overlay, 0o600); err != nil {
		return fmt.Errorf("make an overlay: %w", err)
	}
	_, err = t.Kubectl.Run(ctx, nil, "apply", "-k", dir)
	return err
}

// overlay is a kustomization of the base and components, with the images' names.
func (t Target) overlay(components []string) ([]byte, error) {
	var paths []string // kustomize takes relative ones alone
	for _, path := range append([]string{"knative/base"}, components...) {
		relative, err := filepath.Rel(filepath.Join(t.Scratch, "product"), filepath.Join(t.Root, path))
		if err != nil {
			return nil, fmt.Errorf("make an overlay: %w", err)
		}
		paths = append(paths, relative)
	}
	var images []map[string]string
	for _, image := range []struct{ name, program string }{{"apiserver-receive-adapter", adapter}, {Handler, Handler}} {
		reference, ok := t.Reference(image.program)
		if !ok {
			return nil, fmt.Errorf("make an overlay: there is no image of %s", image.program)
		}
		repository, digest, _ := strings.Cut(reference, "@")
		images = append(images, map[string]string{"name": image.name, "newName": repository, "digest": digest})
	}
	return yaml.Marshal(map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
		"resources": paths[:1], "components": paths[1:], "images": images,
	})
}

// ProductReady waits until the handler and what sends to it are Ready.
func (t Target) ProductReady(ctx context.Context) error {
	for _, object := range []string{"ksvc/" + Handler, "apiserversource/certificates", "containersource/gateways", "pingsource/sweep"} {
		if _, err := t.Kubectl.Run(ctx, nil, "-n", "gateway-cert", "wait", "--for=condition=Ready", object, "--timeout=120s"); err != nil {
			return err
		}
	}
	return nil
}
