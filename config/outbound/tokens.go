package outbound

import (
	"context"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// token is one that was issued. until is when it is used no more, by the
// factory's clock, and zero if its end is not known.
type token struct {
	*oauth2.Token
	until time.Time
}

// tokens has the token of a client at hand. Requests that need a new one at the
// same time wait for one grant. x/oauth2's own cache can neither drop a token
// that was refused, nor let a caller go whose context has ended.
type tokens struct {
	lifetime context.Context // of the client: a grant serves more than its first request
	now      func() time.Time
	flights  singleflight.Group
	// One flight at a time uses these.
	grant grant
	pause pause

	mu      sync.Mutex
	current *token
	doubt   doubt
}

func newTokens(lifetime context.Context, now func() time.Time, g grant) *tokens {
	return &tokens{lifetime: lifetime, now: now, grant: g}
}

// prepare gets the first password grant out of the way: whether the password is
// right is to be known when the client is made.
func (t *tokens) prepare(mode Mode) error {
	if mode != Password {
		return nil
	}
	_, err := t.get(t.lifetime)
	return err
}

// get returns a token that is good. ctx bounds the wait, not the grant. If one
// could not be had not long ago, that error is returned.
func (t *tokens) get(ctx context.Context) (*token, error) {
	if known := t.known(); known != nil {
		return known, nil
	}
	select {
	case landed := <-t.flights.DoChan("", t.fetch):
		if landed.Err != nil {
			return nil, landed.Err
		}
		return landed.Val.(*token), nil
	case <-ctx.Done():
		return nil, contextError("wait for a token", ctx.Err())
	}
}

func (t *tokens) fetch() (any, error) {
	// Another flight may have landed since we looked.
	if known := t.known(); known != nil {
		return known, nil
	}
	if err := t.pause.remembered(t.now()); err != nil {
		return nil, err
	}
	issued, err := t.grant.token(t.lifetime)
	if err != nil {
		t.pause.begin(t.now(), err)
		return nil, err
	}
	t.pause = pause{}
	fresh := &token{Token: issued}
	if !issued.Expiry.IsZero() {
		life := time.Until(issued.Expiry)
		fresh.until = t.now().Add(life - min(earlyExpiry, life/2))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = fresh
	return fresh, nil
}

// known returns nil if there is no token, or it is about to expire.
func (t *tokens) known() *token {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.current; c != nil && (c.until.IsZero() || t.now().Before(c.until)) {
		return c
	}
	return nil
}

// discard forgets a token that was refused, unless another has taken its place. It
// reports whether the request should be sent again, which it should not in doubt.
func (t *tokens) discard(used *token) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == used {
		if t.now().Before(t.doubt.until) {
			return false
		}
		t.current = nil
	}
	return true
}

// refusedToo takes note that a token was refused which had come for one that was.
func (t *tokens) refusedToo() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); !now.Before(t.doubt.until) { // else others have said so
		t.doubt.begin(now)
	}
}

// taken takes note that a token was not refused.
func (t *tokens) taken() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doubt = doubt{}
}
