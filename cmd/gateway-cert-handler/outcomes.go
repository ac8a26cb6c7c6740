package main

import (
	"context"
	"log/slog"
	"os"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

// sinkAuthorities is the variable by which a SinkBinding says whom the sink's
// certificate is from.
const sinkAuthorities = "K_CA_CERTS"

// outcomeSender returns what tells others of outcomes, as the environment that a
// SinkBinding makes and the settings have it; nil if nobody is to be told.
func outcomeSender(settings config.Outcomes, signals *telemetry.Telemetry, out *outgoing, logger *slog.Logger) (*outcomes.Sender, error) {
	options := outcomes.Options{
		Reply:   settings.Reply,
		Tracing: signals.Traces, Metrics: signals.Metrics, Logger: logger,
		Work: signals.Work,
	}
	if text := os.Getenv("K_SINK"); text != "" {
		sink, err := outcomes.ParseSink(text)
		if err != nil {
			return nil, err
		}
		if options.Overrides, err = outcomes.ParseOverrides(os.Getenv("K_CE_OVERRIDES")); err != nil {
			return nil, err
		}
		options.Sink = sink
		if options.Client, err = out.forSink(sink, os.Getenv(sinkAuthorities)); err != nil {
			return nil, err
		}
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
