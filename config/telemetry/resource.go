package telemetry

import (
	"context"
	"crypto/rand"
	"fmt"

	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
)

// describe returns the resource of all signals. What the environment says comes
// last and so wins.
//
// The instance is another one in each process: cumulative metrics of two that
// had the same would be taken for one that counts backwards.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	described, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(ServiceName), semconv.ServiceVersion(version), semconv.ServiceInstanceID(rand.Text())),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return described, nil
}
