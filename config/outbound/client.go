package outbound

import (
	"context"
	"net/http"
)

// client is what a version lends out.
type client struct {
	transport http.RoundTripper
	// base is kept, because what wraps it does not pass CloseIdleConnections on.
	base *http.Transport
	// cancel ends the requests for tokens, and then what connections are left.
	cancel context.CancelFunc
}

// newClient makes a client. Each request that this takes is bounded by its guard.
func (f *Factory) newClient(s spec) (*client, error) {
	lifetime, cancel := context.WithCancel(f.lifetime)
	// A request that is under way may finish when the factory's lifetime ends.
	connected, disconnect := context.WithCancel(context.WithoutCancel(f.lifetime))
	end := func() { cancel(); disconnect() }
	base, err := newBase(connected, f.options.SystemPool, s)
	if err != nil {
		end()
		return nil, err
	}
	exchange := f.options.Wrap(base)
	made := &client{&guard{next: exchange, origins: s.origins, timeout: s.profile.Timeout}, base, end}
	if s.auth.Mode == NoAuth {
		return made, nil
	}
	grant, err := newGrant(lifetime, s, exchange)
	if err == nil {
		tokens := newTokens(lifetime, f.options.Now, grant)
		made.transport = &bearer{next: made.transport, tokens: tokens}
		err = tokens.prepare(s.auth.Mode)
	}
	if err != nil {
		made.close()
		return nil, err
	}
	return made, nil
}

// close is for when nobody uses the client any more. It lets net/http close what
// is idle, as it should be done, and cuts off the rest.
func (c *client) close() {
	c.base.CloseIdleConnections()
	c.cancel()
}
