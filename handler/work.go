package handler

import (
	"context"
	"errors"
	"log/slog"

	"github.com/cloudevents/sdk-go/v2/event"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// handleAll handles the events of one request in their order and returns the
// gravest answer.
func (h *Handler) handleAll(ctx context.Context, events []event.Event) answer {
	gravest := handled
	for _, e := range events {
		gravest = max(gravest, h.handle(ctx, e))
	}
	return gravest
}

func (h *Handler) handle(ctx context.Context, e event.Event) answer {
	logger := h.logger.With(eventAttributes(e)...)
	change, err := changeOf(e)
	var notOurs ignoredError
	switch {
	case errors.As(err, &notOurs):
		logger.InfoContext(ctx, "event ignored", "reason", notOurs.why)
		return handled
	case err != nil:
		logger.WarnContext(ctx, "event cannot be read", "error", err)
		trace.SpanFromContext(ctx).RecordError(err)
		return unreadable
	}
	outcomes, err := h.reconciler.Handle(ctx, change)
	if err != nil {
		logger.ErrorContext(ctx, "cannot tell which Gateways this concerns", "error", err)
		trace.SpanFromContext(ctx).RecordError(err)
		return again
	}
	return report(ctx, logger, outcomes)
}

// report logs the outcomes and returns the gravest answer to them.
func report(ctx context.Context, logger *slog.Logger, outcomes []reconcile.Outcome) answer {
	gravest := handled
	for _, o := range outcomes {
		logger.LogAttrs(ctx, levelOf(o), "reconciled", outcomeAttributes(o)...)
		gravest = max(gravest, answerTo(o.Verdict))
	}
	if len(outcomes) == 0 {
		logger.InfoContext(ctx, "no Gateway is concerned")
	}
	return gravest
}
