package outcomes

import (
	"fmt"

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
// An answer can carry no more than one event: the first that tells of a failure,
// else the first that tells anything. The sink is told of the others.
func (s *Sender) Reply(all []reconcile.Outcome, cause Cause) (reply *Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var news []delivery
	chosen := -1
	for _, o := range all {
		d, is := s.newsOf(o, cause)
		if !is {
			continue
		}
		if chosen < 0 || !isFailure(news[chosen]) && isFailure(d) {
			chosen = len(news)
		}
		news = append(news, d)
	}
	for i, d := range news {
		if s.reply && i == chosen {
			reply = &Reply{Event: d.event, delivery: d, sender: s}
			continue
		}
		s.enqueue(d)
	}
	return reply
}

func isFailure(d delivery) bool { return d.event.Type() == knative.GatewayFailed }
