package collector_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

func TestSpansThatTheSDKExportsComeOutAsATree(t *testing.T) {
	c, err := collector.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(c.Endpoint()+"/v1/traces"))
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	ctx, root := provider.Tracer("test").Start(context.Background(), "root")
	_, child := provider.Tracer("test").Start(ctx, "child")
	child.End()
	root.End()

	trace, err := c.Wait(t.Context(), func(trace collector.Trace) bool { return len(trace.Spans) == 2 })
	if err != nil {
		t.Fatal(err)
	}
	var tree strings.Builder
	if err := trace.WriteTree(&tree); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(tree.String(), "\n")
	if !strings.HasPrefix(lines[1], "  root ") || !strings.HasPrefix(lines[2], "    child ") {
		t.Errorf("tree:\n%s\nwant child under root", tree.String())
	}
}
