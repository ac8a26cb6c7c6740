package outbound

import (
	"net/http"
	"sync"
)

// Lease is the right to use a client until it is released.
type Lease struct {
	unprintable
	version *version
	release func()
}

func newLease(c *cache, v *version) *Lease {
	return &Lease{version: v, release: sync.OnceFunc(func() { c.giveBack(v) })}
}

// Client returns the leased client. It takes requests to the endpoints in its
// Config only, follows no redirect and keeps no cookie. Each request is bounded
// by the profile's timeout and by its own context, the body of a response by
// whoever reads it. It must not be used after Release, nor must bodies of its
// responses.
func (l *Lease) Client() *http.Client {
	return &http.Client{Transport: l.version.client.transport}
}

// Release gives the client back. To call it again does nothing.
func (l *Lease) Release() { l.release() }
