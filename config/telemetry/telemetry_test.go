package telemetry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// setEnv clears the variables that decide and sets those given.
func setEnv(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_SERVICE_NAME",
		"OTEL_TRACES_SAMPLER",
	} {
		t.Setenv(name, variables[name])
	}
}

func startCollector(t *testing.T) *collector.Collector {
	t.Helper()
	c, err := collector.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestWhetherSpansAreMadeIsTheEnvironmentsWord(t *testing.T) {
	for _, tc := range []struct {
		name      string
		variables map[string]string
		want      bool
	}{
		{"nothing set", nil, false},
		{"an endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, true},
		{"an endpoint for traces", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1/v1/traces"}, true},
		{"the exporter named", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
		{"no exporter wanted", map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, false},
		{"the SDK disabled", map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, false},
		{"a sampler that takes none", map[string]string{"OTEL_TRACES_SAMPLER": "always_off", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			setEnv(t, tc.variables)
			traces, err := telemetry.Start(t.Context(), "v1")
			if err != nil {
				t.Fatal(err)
			}
			_, span := traces.Tracer("test").Start(t.Context(), "span")
			if got := span.IsRecording(); got != tc.want {
				t.Errorf("recording = %v, want %v", got, tc.want)
			}
			if !span.SpanContext().IsValid() {
				t.Error("the span has no id for the log")
			}
		})
	}
}

func TestAnErrorNamesTheVariableThatCannotBeObeyed(t *testing.T) {
	endpoint := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}
	for variable, value := range map[string]string{
		"OTEL_TRACES_EXPORTER":               "zipkin",
		"OTEL_EXPORTER_OTLP_PROTOCOL":        "grpc",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
		"OTEL_RESOURCE_ATTRIBUTES":           "no-equals-sign",
	} {
		t.Run(variable, func(t *testing.T) {
			setEnv(t, map[string]string{variable: value, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint["OTEL_EXPORTER_OTLP_ENDPOINT"]})
			if _, err := telemetry.Start(t.Context(), "v1"); err == nil || !strings.Contains(err.Error(), variable) {
				t.Errorf("Start = %v, want an error that names %s", err, variable)
			}
		})
	}
}

func TestShutdownSendsTheLastSpans(t *testing.T) {
	c := startCollector(t)
	setEnv(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()})
	traces, err := telemetry.Start(t.Context(), "v1")
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.Tracer("test").Start(t.Context(), "last")
	span.End()
	if err := traces.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := c.Spans()
	if len(spans) != 1 || spans[0].Name != "last" || spans[0].Service != telemetry.ServiceName {
		t.Errorf("spans = %+v, want one called last of service %s", spans, telemetry.ServiceName)
	}
}

func TestShutdownEndsInTimeWhenTheCollectorHangs(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	setEnv(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": hanging.URL})
	traces, err := telemetry.Start(t.Context(), "v1")
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.Tracer("test").Start(t.Context(), "lost")
	span.End()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := traces.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Shutdown = %v, want that the deadline has passed", err)
	}
}
