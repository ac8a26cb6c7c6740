package main

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"

	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
)

// readSource does what happens to a source between kubectl and the controller:
// unknown fields are refused, defaults are filled in and the webhook's
// validation runs.
func readSource(manifest []byte) (*sourcesv1.ApiServerSource, error) {
	source := &sourcesv1.ApiServerSource{}
	if err := yaml.UnmarshalStrict(manifest, source); err != nil {
		return nil, fmt.Errorf("read the ApiServerSource: %w", err)
	}
	want := sourcesv1.SchemeGroupVersion.WithKind("ApiServerSource")
	if got := source.GroupVersionKind(); got != want {
		return nil, fmt.Errorf("read the ApiServerSource: the input is a %s, want a %s", got, want)
	}
	if source.Namespace == "" {
		return nil, errors.New("read the ApiServerSource: metadata.namespace is not set, and kubectl's default is not known here: set it")
	}
	source.SetDefaults(context.Background())
	if err := source.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the ApiServerSource %s would be refused by Knative's webhook: %w", source.Name, err)
	}
	return source, nil
}
