package main

import (
	"context"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// shown are the attributes that say what a span was about.
var shown = []string{
	"cloudevents.event_type", "http.response.status_code", "gateway_cert.gateway.name",
	"gateway_cert.verdict", "gateway_cert.listeners.added", "gateway_cert.listeners.changed",
	"gateway_cert.listeners.removed", "gateway_cert.rejection.reasons", "gateway_cert.certificates",
}

// toTerminal has traces go to a collector here that prints them.
func toTerminal(out *terminal) (backend, error) {
	c, err := collector.Start()
	if err != nil {
		return backend{}, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go printTraces(ctx, c, out)
	return backend{
		env:  handlerEnv("OTEL_EXPORTER_OTLP_ENDPOINT=" + c.Endpoint()),
		show: func(context.Context) error { return nil },
		wait: c.Wait,
		stop: func() error {
			cancel()
			return c.Close()
		},
	}, nil
}

// isWhole tells whether the span is in that ends last.
func isWhole(trace collector.Trace) bool {
	_, answered := trace.Find("POST /")
	_, swept := trace.Find("sweep after start")
	return answered || swept
}

// printTraces prints each trace once it is whole.
func printTraces(ctx context.Context, c *collector.Collector, out *terminal) {
	printed := map[string]bool{}
	for {
		trace, err := c.Wait(ctx, func(trace collector.Trace) bool {
			return isWhole(trace) && !printed[trace.ID]
		})
		if err != nil {
			return
		}
		printed[trace.ID] = true
		var text strings.Builder
		text.WriteString("\n")
		_ = trace.WriteTree(&text, shown...) // to memory
		_, _ = out.Write([]byte(text.String()))
	}
}
