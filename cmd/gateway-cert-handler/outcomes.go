package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"

	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

// outcomeSender returns what tells others of outcomes, as the environment that a
// SinkBinding makes and the settings have it; nil if nobody is to be told.
func outcomeSender(settings config.Outcomes, tracing trace.TracerProvider, logger *slog.Logger) (*outcomes.Sender, error) {
	options := outcomes.Options{Reply: settings.Reply, Tracing: tracing, Logger: logger}
	if text := os.Getenv("K_SINK"); text != "" {
		sink, err := outcomes.ParseSink(text)
		if err != nil {
			return nil, err
		}
		if options.Overrides, err = outcomes.ParseOverrides(os.Getenv("K_CE_OVERRIDES")); err != nil {
			return nil, err
		}
		options.Sink, options.Client = sink, &http.Client{} // the Sender bounds each request
	}
	if options.Sink == nil && !options.Reply {
		return nil, nil
	}
	return outcomes.New(options), nil
}

// closeSender never fails the process: what it did for the cluster is done.
func closeSender(ctx context.Context, sender *outcomes.Sender) {
	if sender == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomes.CloseTimeout)
	defer cancel()
	sender.Close(ctx)
}
