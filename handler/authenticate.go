package handler

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
)

// Authenticator tells who holds a bearer token. An error means that it cannot
// tell now. [authn.Authenticator] is one.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (authn.Identity, error)
}

// Senders says whose events are taken.
type Senders struct {
	Authenticator Authenticator
	// Allows tells whether this user may send events.
	Allows func(username string) bool
}

// TakeFrom has the Handler ask before each request whose events are taken; nil is
// everybody's. It must be called before the Handler serves.
func (h *Handler) TakeFrom(senders func() *Senders) { h.senders = senders }

// refusal is why a request is not even read.
type refusal struct {
	answer answer
	why    error
}

// refusalOf returns nil for a request whose events are to be taken. It looks at
// one header only, so that strangers cost no more than that.
func (h *Handler) refusalOf(r *http.Request) *refusal {
	senders := h.senders()
	if senders == nil {
		return nil
	}
	token, err := bearerToken(r.Header)
	if err != nil {
		return &refusal{unauthenticated, err}
	}
	// A review of the token belongs to the sender's trace; our own span cannot
	// begin yet, see startSpan.
	ctx := parent(r.Context(), r.Header, nil)
	identity, err := senders.Authenticator.Authenticate(ctx, token)
	switch {
	case err != nil:
		return &refusal{again, fmt.Errorf("find out who sent this: %w", err)}
	case identity.Username == "":
		return &refusal{unauthenticated, fmt.Errorf("the token is not valid here: %s", identity.Refusal)}
	case !senders.Allows(identity.Username):
		return &refusal{forbidden, fmt.Errorf("%s is not among the allowed senders", identity.Username)}
	}
	return nil
}

// refuse leaves the body alone. The server then reads at most 256 KiB of it to
// keep the connection, and closes the connection if there is more (net/http).
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refused refusal, received time.Time) {
	ctx, span := h.startSpan(r.Context(), r, received, nil)
	defer span.End()
	h.logger.WarnContext(ctx, "the request is refused", "status", statusCodes[refused.answer], "reason", refused.why)
	span.RecordError(refused.why)
	h.metrics.request(ctx, unread[refused.answer], refused.answer)
	describe(span, r, nil, refused.answer)
	refused.answer.write(w)
}
