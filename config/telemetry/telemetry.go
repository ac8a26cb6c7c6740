// Package telemetry sends traces where the standard OpenTelemetry variables say.
//
// Traces are exported over OTLP/HTTP when one of these is set. Otherwise they
// have their ids, so that log lines can be told apart by them, but nothing is
// recorded: a process that sleeps most of its life should not wake up to knock
// on a collector that nobody has named.
//
//	OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
//	OTEL_TRACES_EXPORTER=otlp   (then the endpoint's default is localhost:4318)
//
// Switched off by OTEL_TRACES_EXPORTER=none or OTEL_SDK_DISABLED=true. The SDK
// itself reads the rest: OTEL_EXPORTER_OTLP_* (headers, timeout, compression,
// certificates), OTEL_TRACES_SAMPLER and _ARG, OTEL_BSP_*, OTEL_SERVICE_NAME
// (default gateway-cert-handler) and OTEL_RESOURCE_ATTRIBUTES.
package telemetry

import (
	"context"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

// ServiceName is the service.name of our spans unless OTEL_SERVICE_NAME or
// OTEL_RESOURCE_ATTRIBUTES name another.
const ServiceName = "gateway-cert-handler"

// Traces makes spans and sends them on.
type Traces struct {
	trace.TracerProvider
	shutdown func(context.Context) error
}

// Start returns Traces as the environment asks for. version is that of this
// program. An error names the variable that cannot be obeyed.
func Start(ctx context.Context, version string) (*Traces, error) {
	wanted, err := wanted()
	if err != nil {
		return nil, err
	}
	if !wanted {
		provider := sdktrace.NewTracerProvider(sdktrace.WithSampler(sdktrace.NeverSample()))
		return &Traces{provider, provider.Shutdown}, nil
	}
	described, err := describe(ctx, version)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("make an OTLP exporter from OTEL_EXPORTER_OTLP_*: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described))
	return &Traces{provider, provider.Shutdown}, nil
}

// Shutdown sends what is still queued and stops. The error is that ctx ended
// first, and then spans were lost. Spans that the collector would not take go to
// OpenTelemetry's error handler instead.
func (t *Traces) Shutdown(ctx context.Context) error {
	if err := t.shutdown(ctx); err != nil {
		return fmt.Errorf("send the last spans: %w", err)
	}
	return nil
}

func wanted() (bool, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "otlp":
		return true, checkProtocol()
	case "none":
		return false, nil
	case "":
		named := os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
		return named, checkProtocol()
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: otlp and none are supported", exporter)
	}
}

// checkProtocol refuses what would be sent as OTLP/HTTP although another
// protocol was asked for.
func checkProtocol() error {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(variable); protocol != "" && protocol != "http/protobuf" {
			return fmt.Errorf("%s is %q: only http/protobuf is supported", variable, protocol)
		}
	}
	return nil
}

// describe returns the resource of our spans. What the environment says comes
// last and so wins.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	described, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(ServiceName), semconv.ServiceVersion(version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return described, nil
}
