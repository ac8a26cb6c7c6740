package handler

import (
	"context"
	"errors"
	"log/slog"

	"github.com/cloudevents/sdk-go/v2/event"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// handleAll handles the events of one request in their order and returns the
// gravest answer. What the runs for them came to is added to the news.
func (h *Handler) handleAll(ctx context.Context, events []event.Event, n *news) answer {
	gravest := handled
	for _, e := range events {
		gravest = max(gravest, h.handle(ctx, e, n))
	}
	return gravest
}

// handle guards each event by itself: one that makes for a panic spoils no batch.
func (h *Handler) handle(ctx context.Context, e event.Event, n *news) (result answer) {
	logger := withLazily(h.logger, func() []slog.Attr { return eventAttributes(e) })
	outcome := outcomeTryAgain // unless it is told otherwise, as after a panic
	defer func() { h.metrics.event(ctx, e.Type(), outcome, result) }()
	return guarded(ctx, logger, func() (result answer) {
		change, err := changeOf(e)
		if notOurs, ok := errors.AsType[ignoredError](err); ok {
			logger.InfoContext(ctx, "event ignored", "reason", truncate.Text(notOurs.why, maxLogText))
			outcome = outcomeIgnored
			return handled
		}
		if err != nil {
			logger.WarnContext(ctx, "event cannot be read", errorAttribute("error", err))
			trace.SpanFromContext(ctx).RecordError(err)
			outcome = outcomeMalformed
			return unreadable
		}
		cause := causeOf(ctx, e.ID())
		done := h.work(h.withLate(ctx, logger, cause), logger, change)
		outcome = done.outcome
		n.add(cause, done.outcomes)
		return done.answer
	})
}

// holdsNoEvent tells why a request could not be decoded, and returns the answer.
func (h *Handler) holdsNoEvent(ctx context.Context, err error) answer {
	if p, ok := errors.AsType[*panicError](err); ok {
		return panicked(ctx, h.logger, p)
	}
	h.logger.WarnContext(ctx, "the request holds no event", errorAttribute("error", err))
	trace.SpanFromContext(ctx).RecordError(err)
	if errors.Is(err, errCutOff) {
		return again
	}
	return unreadable
}

// worked is what came of a change.
type worked struct {
	outcomes []reconcile.Outcome
	outcome  eventOutcome
	answer   answer
}

// work has the reconciler do what the change asks for, and logs how that went.
func (h *Handler) work(ctx context.Context, logger *slog.Logger, change reconcile.Change) worked {
	outcomes, err := h.reconciler.Handle(ctx, change)
	if err != nil {
		logger.ErrorContext(ctx, "cannot tell which Gateways this concerns", errorAttribute("error", err))
		trace.SpanFromContext(ctx).RecordError(err)
		return worked{outcome: outcomeTryAgain, answer: again}
	}
	if change.Kind == reconcile.Everything {
		reportSweep(ctx, logger, outcomes)
	} else {
		report(ctx, logger, outcomes)
	}
	return worked{outcomes, outcomeOf(outcomes), answerToAll(outcomes)}
}

// report logs what came of an event.
func report(ctx context.Context, logger *slog.Logger, outcomes []reconcile.Outcome) {
	for _, o := range outcomes {
		logOutcome(ctx, logger, levelOf(o), o)
		recordCovered(ctx, o)
	}
	if len(outcomes) == 0 {
		logger.InfoContext(ctx, "no Gateway is concerned")
	}
}
