package outbound

import (
	"context"
	"time"
)

// key is what a client is kept by.
type key struct {
	owner       Owner
	fingerprint fingerprint
}

// version is a client in the cache, or one that is being made.
type version struct {
	key key
	// ready is closed when one of client and err is set.
	ready  chan struct{}
	client *client
	err    error

	// The cache's lock guards these.
	borrowers    int
	lastAcquired time.Time
}

func (v *version) await(ctx context.Context) error {
	select {
	case <-v.ready:
		return v.err
	default:
	}
	select {
	case <-v.ready:
		return v.err
	case <-ctx.Done():
		return contextError("wait for the client", ctx.Err())
	}
}

func (v *version) close() {
	if v.client != nil {
		v.client.close()
	}
}
