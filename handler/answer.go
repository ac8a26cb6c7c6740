package handler

import (
	"net/http"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// answer is what the sender of an event is told. Greater outranks smaller where
// a request brought several events.
type answer int

const (
	// handled: the Gateways are as they should be, or nothing can be done.
	handled answer = iota
	// replied is handled, with an event in the answer.
	replied
	// unreadable: this can never be read as an event.
	unreadable
	// unauthenticated: nobody knows who sent this.
	unauthenticated
	// forbidden: who sent this may not.
	forbidden
	// again: send the event once more.
	again
)

// statusCodes is the one place where outcomes become status codes.
//
// Knative's direct delivery retries 404, 413, 425, 429, 502, 503 and 504, its
// broker 5xx, 404, 408, 409 and 429 (knative.dev/eventing v0.50). Only 503 means
// "again" to both, so nothing else that either retries is ever sent.
var statusCodes = map[answer]int{
	handled:         http.StatusNoContent,
	replied:         http.StatusOK,
	unreadable:      http.StatusBadRequest,
	unauthenticated: http.StatusUnauthorized,
	forbidden:       http.StatusForbidden,
	again:           http.StatusServiceUnavailable,
}

// answerTo returns what an outcome means to the sender. Unknown verdicts are
// tried again: that is the one that loses nothing.
func answerTo(verdict reconcile.Verdict) answer {
	switch verdict {
	case reconcile.Unchanged, reconcile.Patched, reconcile.Covered, reconcile.Paused, reconcile.DryRun, reconcile.GatewayMissing, reconcile.Refused:
		return handled
	default:
		return again
	}
}

// answerToAll returns the gravest answer.
func answerToAll(outcomes []reconcile.Outcome) answer {
	gravest := handled
	for _, o := range outcomes {
		gravest = max(gravest, answerTo(o.Verdict))
	}
	return gravest
}

func (a answer) write(w http.ResponseWriter) {
	switch a {
	case again:
		w.Header().Set("Retry-After", retryAfter)
	case unauthenticated:
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(statusCodes[a])
}
