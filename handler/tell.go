package handler

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Outcomes tells others what runs came to. It makes nobody wait and fails nobody.
// [outcomes.Sender] is one.
type Outcomes interface {
	// Send has others told of one outcome.
	Send(o reconcile.Outcome, cause outcomes.Cause)
	// Reply returns what the answer to the cause is to carry, nil if that is nothing,
	// and has others told of the rest.
	Reply(all []reconcile.Outcome, cause outcomes.Cause) *outcomes.Reply
}

// WithOutcomes has the Handler tell others what the runs for its events came to.
// It must be called before the Handler serves.
func (h *Handler) WithOutcomes(o Outcomes) { h.outcomes = o }

// news is what the runs for a request's events came to.
type news []told

type told struct {
	outcomes []reconcile.Outcome
	cause    outcomes.Cause
}

// add takes what came of one event.
func (n *news) add(cause outcomes.Cause, all []reconcile.Outcome) { *n = append(*n, told{all, cause}) }

// causeOf names an event, whose id is empty where there is none.
func causeOf(ctx context.Context, eventID string) outcomes.Cause {
	return outcomes.Cause{EventID: eventID, Span: trace.SpanContextFromContext(ctx)}
}

// tell tells others, by the answer itself if it may: somebody must wait for it,
// there must have been one event, for an answer carries no more, and the work for
// it must be done, for an event that is sent again would be told of again. It
// returns the answer then.
func (h *Handler) tell(result answer, alone bool, all news) (answer, *outcomes.Reply) {
	if h.outcomes == nil || result != handled || !alone || len(all) != 1 {
		h.send(all)
		return result, nil
	}
	reply := h.outcomes.Reply(all[0].outcomes, all[0].cause)
	if reply == nil {
		return result, nil
	}
	return replied, reply
}

// withLate has the returned context bring to the log, and to others, what runs for
// the cause come to after its answer.
func (h *Handler) withLate(ctx context.Context, logger *slog.Logger, cause outcomes.Cause) context.Context {
	return reconcile.WithLateOutcomes(ctx, func(o reconcile.Outcome) {
		guarded(ctx, logger, func() answer {
			logOutcome(ctx, logger, levelOf(o), o, slog.Bool("late", true))
			h.send(news{{[]reconcile.Outcome{o}, cause}})
			return handled
		})
	})
}

func (h *Handler) send(all news) {
	if h.outcomes == nil {
		return
	}
	for _, one := range all {
		for _, o := range one.outcomes {
			h.outcomes.Send(o, one.cause)
		}
	}
}

// write answers, with the reply if there is one.
func write(ctx context.Context, w http.ResponseWriter, result answer, reply *outcomes.Reply) {
	if reply == nil {
		result.write(w)
		return
	}
	err := cehttp.WriteResponseWriter(ctx, binding.ToMessage(&reply.Event), statusCodes[result], w)
	reply.Written(errors.Join(err, flush(w)))
}

// flush has the connection say whether it takes what was written, which else is
// found out once nobody asks any more.
func flush(w http.ResponseWriter) error {
	if err := http.NewResponseController(w).Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
