package handler

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/cloudevents/sdk-go/v2/binding"
	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// Outcomes tells others what runs came to. It makes nobody wait and fails nobody.
// [outcomes.Sender] is one.
type Outcomes interface {
	// Send has others told of one outcome.
	Send(o reconcile.Outcome, cause outcomes.Cause)
	// Reply returns the event that the answer to the cause is to carry, if it is to
	// carry one, and has others told of the rest.
	Reply(all []reconcile.Outcome, cause outcomes.Cause) (event.Event, bool)
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

// add takes what came of one event; the id is empty where there was none.
func (n *news) add(ctx context.Context, eventID string, all []reconcile.Outcome) {
	*n = append(*n, told{all, outcomes.Cause{EventID: eventID, Span: trace.SpanContextFromContext(ctx)}})
}

// tell tells others, by the answer itself if it may: there must have been one
// event, for an answer carries no more, and the work for it must be done, for an
// event that is sent again would be told of again. It returns the answer then.
func (h *Handler) tell(result answer, events int, all news) (answer, *event.Event) {
	if h.outcomes == nil || result != handled || events != 1 || len(all) != 1 {
		h.send(all)
		return result, nil
	}
	reply, ok := h.outcomes.Reply(all[0].outcomes, all[0].cause)
	if !ok {
		return result, nil
	}
	return replied, &reply
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
func (h *Handler) write(ctx context.Context, w http.ResponseWriter, result answer, reply *event.Event) {
	if reply == nil {
		result.write(w)
		return
	}
	if err := cehttp.WriteResponseWriter(ctx, binding.ToMessage(reply), statusCodes[result], w); err != nil {
		h.logger.WarnContext(ctx, "the outcome in the answer was not delivered", slog.String("error", truncate.Text(err.Error(), maxLogError)))
	}
}
