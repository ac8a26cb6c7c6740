package handler

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/codes"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Why a process looks at everything of its own accord.
const (
	// Start: no event tells what went before.
	Start = "start"
	// NewSettings: what was right by the old ones may not be by the new.
	NewSettings = "new settings"
)

// Sweep looks at everything once, as a ping asks for, in a trace of its own. What
// fails is in the log, and done is false. The cause is one of the above.
//
// It returns when it is done and does not end with ctx, but does not begin
// either once that has ended. Whoever stops the process should wait for it: it
// takes no longer than a request may, so the time for those is enough, and a
// sweep that is cut short would report Gateways as failed on which runs go on.
func (h *Handler) Sweep(ctx context.Context, cause string) (done bool) {
	if ctx.Err() != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), workDeadline)
	defer cancel()
	ctx, span := h.tracer.Start(ctx, "sweep after "+cause)
	defer span.End()

	logger := h.logger.With("cause", cause)
	var n news
	result := guarded(ctx, logger, func() answer {
		cause := causeOf(ctx, "")
		done := h.work(h.withLate(ctx, logger, cause), logger, reconcile.Change{Kind: reconcile.Everything})
		n.add(cause, done.outcomes)
		return done.answer
	})
	h.send(n)
	if result == again {
		span.SetStatus(codes.Error, "some Gateways may not be as they should be")
	}
	return result != again
}

// reportSweep logs how a sweep went in one line, and the Gateways that were, or
// are, not as they should be in one each: those that were had drifted, by a
// change that no event has told.
func reportSweep(ctx context.Context, logger *slog.Logger, outcomes []reconcile.Outcome) {
	for _, o := range outcomes {
		var drift []slog.Attr
		if o.Verdict == reconcile.Patched {
			drift = []slog.Attr{slog.Bool("drift", true)}
		}
		logOutcome(ctx, logger, sweptLevelOf(o), o, drift...)
	}
	total := reconcile.Sum(outcomes)
	level := slog.LevelInfo
	if total.Failed > 0 {
		level = slog.LevelWarn
	}
	logger.LogAttrs(ctx, level, "sweep",
		slog.Int("checked", total.Checked), slog.Int("healed", total.Healed), slog.Int("failed", total.Failed))
}

// sweptLevelOf is quiet about Gateways of which there is no news, rejections
// included: they were told when they came up.
func sweptLevelOf(o reconcile.Outcome) slog.Level {
	switch o.Verdict {
	case reconcile.Unchanged, reconcile.Covered, reconcile.Paused:
		if o.ReportErr == nil {
			return slog.LevelDebug
		}
	}
	return levelOf(o)
}
