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

// printTraces prints each trace once its server span is in, which ends last.
func printTraces(ctx context.Context, c *collector.Collector, out *terminal) {
	printed := map[string]bool{}
	for {
		trace, err := c.Wait(ctx, func(trace collector.Trace) bool {
			_, done := trace.Find("POST /")
			_, swept := trace.Find("sweep after start")
			return (done || swept) && !printed[trace.ID]
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
