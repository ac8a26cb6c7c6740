package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	apiconfig "knative.dev/serving/pkg/apis/config"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	configurationresources "knative.dev/serving/pkg/reconciler/configuration/resources"
	"knative.dev/serving/pkg/reconciler/revision/config"
	revisionresources "knative.dev/serving/pkg/reconciler/revision/resources"
	serviceresources "knative.dev/serving/pkg/reconciler/service/resources"
)

// readService does what happens to a Service between kubectl and the controller:
// unknown fields are refused, defaults are filled in and the webhook's validation
// runs.
func readService(manifest []byte, cfg *config.Config) (*servingv1.Service, error) {
	service := &servingv1.Service{}
	if err := yaml.UnmarshalStrict(manifest, service); err != nil {
		return nil, fmt.Errorf("read the Service: %w", err)
	}
	want := servingv1.SchemeGroupVersion.WithKind("Service")
	if got := service.GroupVersionKind(); got != want {
		return nil, fmt.Errorf("read the Service: the input is a %s, want a %s", got, want)
	}
	if service.Namespace == "" {
		return nil, errors.New("read the Service: metadata.namespace is not set, and kubectl's default is not known here: set it")
	}
	ctx := apiconfig.ToContext(context.Background(), cfg.Config)
	service.SetDefaults(ctx)
	if err := service.Validate(ctx); err != nil {
		return nil, fmt.Errorf("the Service %s would be refused by Knative's webhook: %w", service.Name, err)
	}
	return service, nil
}

// revisionPod goes the controllers' way, from the Service by Configuration and
// Revision to the Deployment.
func revisionPod(service *servingv1.Service, cfg *config.Config) (*corev1.PodTemplateSpec, error) {
	ctx := apiconfig.ToContext(context.Background(), cfg.Config)
	configuration := serviceresources.MakeConfiguration(service)
	configuration.Generation = 1
	configuration.SetDefaults(ctx)
	revision := configurationresources.MakeRevision(ctx, configuration, time.Now())
	revision.SetDefaults(ctx)
	for _, container := range revision.Spec.Containers {
		// The controller resolves images to digests, by asking their registry.
		revision.Status.ContainerStatuses = append(revision.Status.ContainerStatuses,
			servingv1.ContainerStatus{Name: container.Name, ImageDigest: container.Image})
	}
	deployment, err := revisionresources.MakeDeployment(revision, cfg)
	if err != nil {
		return nil, fmt.Errorf("make the Deployment of revision %s: %w", revision.Name, err)
	}
	return &deployment.Spec.Template, nil
}
