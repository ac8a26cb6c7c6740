package stack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func (s *Stack) startAdapters(ctx context.Context) error {
	kubeconfig, err := s.accountKubeconfig(ctx, sourceAccount)
	if err != nil {
		return err
	}
	environments, err := s.sources(ctx)
	if err != nil {
		return err
	}
	for _, env := range environments {
		adapter, err := controlplane.StartAdapter(ctx, controlplane.AdapterOptions{
			Assets: s.opts.Assets, Kubeconfig: kubeconfig, Env: env, Namespace: Namespace, Output: s.opts.AdapterLog,
		})
		if err != nil {
			return err
		}
		s.adapters = append(s.adapters, adapter)
	}
	for _, adapter := range s.adapters {
		if err := adapter.WaitUntilWatching(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sources returns the environment of each source's adapter, of all sources that
// watch the API server.
func (s *Stack) sources(ctx context.Context) ([][]corev1.EnvVar, error) {
	text, err := s.Kubectl(ctx, "", "get", "apiserversources,containersources", "-n", Namespace, "-o", "json")
	if err != nil {
		return nil, err
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("read the list of sources: %w", err)
	}
	if len(list.Items) == 0 {
		return nil, errors.New("the manifests have no source that watches the API server")
	}
	var environments [][]corev1.EnvVar
	for _, item := range list.Items {
		env, err := s.adapterEnv(ctx, item)
		if err != nil {
			return nil, err
		}
		environments = append(environments, env)
	}
	return environments, nil
}

// SendTo has the adapters that start from now on send to a URL that leads to the
// handler; empty means to the handler itself.
func (s *Stack) SendTo(url string) { s.front = url }

func (s *Stack) sink() string { return cmp.Or(s.front, s.handler.URL) }

// adapterEnv returns the environment that Knative gives to a source's adapter. What
// the sink says of certificates is handed on as it is: package knative shows that,
// by Knative's own functions.
func (s *Stack) adapterEnv(ctx context.Context, source []byte) (env []corev1.EnvVar, err error) {
	var header struct {
		Kind string
		Spec struct{ Sink struct{ CACerts string } }
	}
	if err := json.Unmarshal(source, &header); err != nil {
		return nil, fmt.Errorf("read the kind and the sink of a source: %w", err)
	}
	if header.Kind == "ApiServerSource" {
		env, err = s.apiServerSource(ctx, source)
	} else {
		env, err = s.containerSource(ctx, source)
	}
	if authorities := header.Spec.Sink.CACerts; authorities != "" {
		env = append(env, corev1.EnvVar{Name: "K_CA_CERTS", Value: authorities})
	}
	return env, err
}

// apiServerSource returns what Knative's controller makes of an ApiServerSource,
// as the API server has it.
func (s *Stack) apiServerSource(ctx context.Context, source []byte) ([]corev1.EnvVar, error) {
	return controlplane.AdapterEnv(ctx, controlplane.AdapterEnvOptions{
		Assets: s.opts.Assets, Source: source, Sink: s.sink(), Observability: s.opts.Observability,
	})
}

// containerSource returns the environment that a ContainerSource spells out, with
// what Knative adds to it.
func (s *Stack) containerSource(ctx context.Context, source []byte) ([]corev1.EnvVar, error) {
	var fields struct {
		Spec struct{ Template corev1.PodTemplateSpec }
	}
	if err := json.Unmarshal(source, &fields); err != nil {
		return nil, fmt.Errorf("read a ContainerSource: %w", err)
	}
	containers := fields.Spec.Template.Spec.Containers
	if len(containers) != 1 {
		return nil, fmt.Errorf("a ContainerSource has %d containers, want the adapter alone", len(containers))
	}
	env := append(containers[0].Env, corev1.EnvVar{Name: "K_SINK", Value: s.sink()})
	if s.opts.Observability == nil {
		return env, nil
	}
	observability, err := s.observability(ctx)
	return append(env, observability), err
}

// anySource is a source for which Knative renders its ConfigMaps.
const anySource = `{
	"apiVersion": "sources.knative.dev/v1", "kind": "ApiServerSource",
	"metadata": {"namespace": "` + Namespace + `", "name": "any"},
	"spec": {
		"resources": [{"apiVersion": "v1", "kind": "ConfigMap"}],
		"sink": {"uri": "http://localhost"}
	}
}`

// observability returns Knative's rendering of the ConfigMap, which an
// ApiServerSource's adapter gets and a ContainerSource has to spell out.
func (s *Stack) observability(ctx context.Context) (corev1.EnvVar, error) {
	env, err := s.apiServerSource(ctx, []byte(anySource))
	if err != nil {
		return corev1.EnvVar{}, err
	}
	for _, variable := range env {
		if variable.Name == "K_OBSERVABILITY_CONFIG" {
			return variable, nil
		}
	}
	return corev1.EnvVar{}, errors.New("the environment that Knative makes for an adapter has no K_OBSERVABILITY_CONFIG")
}
