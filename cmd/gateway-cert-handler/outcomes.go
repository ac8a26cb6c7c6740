package main

import (
	"context"
	"os"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

// sinkAuthorities is the variable by which a SinkBinding says whom the sink's
// certificate is from.
const sinkAuthorities = "K_CA_CERTS"

// outcomeSender returns what tells others of outcomes, as the environment that a
// SinkBinding makes and the settings in force have it.
func (p *process) outcomeSender() (*outcomes.Sender, error) {
	options := outcomes.Options{
		Reply:   func() bool { return p.settings.InForce().Settings.Outcomes.Reply },
		Tracing: p.signals.Traces, Metrics: p.signals.Metrics, Logger: p.logger,
		Work: p.signals.Work,
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
		if options.Client, err = p.out.forSink(sink, os.Getenv(sinkAuthorities)); err != nil {
			return nil, err
		}
	}
	return outcomes.New(options), nil
}

// closeSender never fails the process: what it did for the cluster is done.
func closeSender(ctx context.Context, sender *outcomes.Sender) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomes.CloseTimeout)
	defer cancel()
	sender.Close(ctx)
}
