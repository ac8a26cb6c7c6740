package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/jaeger"
)

const (
	// wellKnownAddress is where people expect Jaeger's pages.
	wellKnownAddress = "127.0.0.1:16686"

	// arriveTimeout is how long a trace may take to arrive. It takes less than a
	// second.
	arriveTimeout = 20 * time.Second
)

// sampleSearch finds what gave the sample's Gateway its listeners.
var sampleSearch = jaeger.Search{Service: telemetry.ServiceName, Tags: map[string]string{
	"k8s.namespace.name":        "demo",
	"gateway_cert.gateway.name": "edge",
	"gateway_cert.verdict":      "Patched",
}}

// toJaeger has traces go to a Jaeger here, which is built first if need be.
func toJaeger(ctx context.Context, out *terminal) (backend, error) {
	program, err := jaeger.Build(ctx, out)
	if err != nil {
		return backend{}, err
	}
	server, err := jaeger.Start(ctx, jaeger.Options{Program: program, QueryAddress: queryAddress()})
	if err != nil {
		return backend{}, err
	}
	return backend{
		env:  handlerEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + server.TracesEndpoint()),
		show: func(ctx context.Context) error { return showInJaeger(ctx, server, out) },
		wait: func(ctx context.Context, accept func(collector.Trace) bool) (collector.Trace, error) {
			return server.WaitFor(ctx, sampleSearch, accept)
		},
		stop: server.Stop,
	}, nil
}

// queryAddress returns the well-known address if it is free, else none.
func queryAddress() string {
	listener, err := net.Listen("tcp", wellKnownAddress)
	if err != nil {
		return ""
	}
	_ = listener.Close() // nobody has connected
	return wellKnownAddress
}

// showInJaeger prints a trace of the sample as Jaeger has it, and how to find it
// and others there.
func showInJaeger(ctx context.Context, server *jaeger.Server, out *terminal) error {
	ctx, cancel := context.WithTimeout(ctx, arriveTimeout)
	defer cancel()
	trace, err := server.WaitFor(ctx, sampleSearch, isWhole)
	if err != nil {
		return err
	}
	pages, err := server.HasPages(ctx)
	if err != nil {
		return err
	}
	out.section("In Jaeger, at " + server.URL())
	var text strings.Builder
	_ = trace.WriteTree(&text, shown...) // to memory
	text.WriteString("\n" + links(server, trace.ID, pages))
	_, _ = out.Write([]byte(text.String()))
	return nil
}

// links says where to open a trace, and how to find it and others.
func links(server *jaeger.Server, id string, pages bool) string {
	if pages {
		return fmt.Sprintf("this trace:      %s\nsearch by tags:  %s/search, service %s, tags %s\n",
			server.PageURL(id), server.URL(), sampleSearch.Service, sampleSearch.Logfmt())
	}
	return fmt.Sprintf("this trace:      %s\nsearch by tags:  %s\nany trace by id: %s\n",
		server.TraceURL(id), server.SearchURL(sampleSearch), server.TraceURL("ID")) +
		"These are JSON: the Go module of Jaeger has no web pages. Those of a release are shown with " + jaeger.BinaryVariable + " set to its program.\n"
}
