package outcomes

import (
	"fmt"
	"slices"

	"github.com/cloudevents/sdk-go/v2/event"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Reply is an event for an answer to carry. Whoever writes the answer has to say
// how that went.
type Reply struct {
	// Event is what to write.
	Event event.Event

	delivery delivery
	sender   *Sender
}

// Written takes note that the answer was written, or of why it was not.
func (r *Reply) Written(err error) {
	if err != nil {
		r.sender.lose(r.delivery, dropped, fmt.Errorf("write the answer that carries it: %w", err))
		return
	}
	r.sender.metrics.add(r.sender.ctx, delivered)
}

// Reply returns what the answer to the cause is to carry; nil if that is nothing.
// An answer can carry no more than one event, and of one Gateway the older goes
// first: it is the first that tells of a failure, else the first that tells
// anything. The sink is told of the others; without one, later answers carry them.
func (s *Sender) Reply(all []reconcile.Outcome, cause Cause) (reply *Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	older, newer := s.candidates(all, cause)
	chosen := max(0, slices.IndexFunc(older, isFailure))
	for i, d := range older {
		if i == chosen && s.reply() {
			reply = &Reply{Event: d.event, delivery: d, sender: s}
			continue
		}
		s.pass(d)
	}
	for _, d := range newer {
		s.pass(d)
	}
	return reply
}

// candidates returns what is to be told of the outcomes' Gateways: one event of
// each, and what there is behind that.
func (s *Sender) candidates(all []reconcile.Outcome, cause Cause) (older, newer []delivery) {
	for _, o := range all {
		d, news := s.newsOf(o, cause)
		if waited, ok := s.waiting.take(o.Gateway); ok {
			older = append(older, waited)
			if news {
				newer = append(newer, d)
			}
		} else if news {
			older = append(older, d)
		}
	}
	return older, newer
}

func isFailure(d delivery) bool { return d.event.Type() == knative.GatewayFailed }
