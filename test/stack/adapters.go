package stack

import (
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
	for _, environment := range []func(context.Context) ([]corev1.EnvVar, error){s.certificateSource, s.gatewaySource} {
		env, err := environment(ctx)
		if err != nil {
			return err
		}
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

// certificateSource returns what Knative's controller makes of our
// ApiServerSource, as the API server has it.
func (s *Stack) certificateSource(ctx context.Context) ([]corev1.EnvVar, error) {
	source, err := s.Kubectl(ctx, "", "get", "apiserversource", "certificates", "-n", Namespace, "-o", "json")
	if err != nil {
		return nil, err
	}
	return controlplane.AdapterEnv(ctx, controlplane.AdapterEnvOptions{
		Assets: s.opts.Assets, Source: []byte(source), Sink: s.handler.URL, Observability: s.opts.Observability,
	})
}

// gatewaySource returns the environment that our ContainerSource spells out,
// with what Knative adds to it.
func (s *Stack) gatewaySource(ctx context.Context) ([]corev1.EnvVar, error) {
	text, err := s.Kubectl(ctx, "", "get", "containersource", "gateways", "-n", Namespace, "-o", "jsonpath={.spec.template.spec.containers[0].env}")
	if err != nil {
		return nil, err
	}
	var env []corev1.EnvVar
	if err := json.Unmarshal([]byte(text), &env); err != nil {
		return nil, fmt.Errorf("read the environment of ContainerSource gateways: %w", err)
	}
	env = append(env, corev1.EnvVar{Name: "K_SINK", Value: s.handler.URL})
	if s.opts.Observability == nil {
		return env, nil
	}
	observability, err := s.observabilityOf(ctx)
	return append(env, observability), err
}

// observabilityOf returns Knative's rendering of the ConfigMap, which an
// ApiServerSource's adapter gets and a ContainerSource has to spell out.
func (s *Stack) observabilityOf(ctx context.Context) (corev1.EnvVar, error) {
	env, err := s.certificateSource(ctx)
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
