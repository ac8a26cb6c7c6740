package outbound

import (
	"sync"
	"time"
)

// cache counts who has borrowed which version, and closes those that are not
// needed any more.
type cache struct {
	now       func() time.Time
	idleAfter time.Duration

	mu       sync.Mutex
	closed   bool
	versions map[key]*version
	pauses   pauses
}

func newCache(now func() time.Time, idleAfter time.Duration) *cache {
	return &cache{now: now, idleAfter: idleAfter, versions: map[key]*version{}, pauses: pauses{}}
}

// borrow returns the version of a key, with one borrower more. If it is new, the
// caller has to make its client and to say so by complete. If that has failed not
// long ago, its error is returned.
func (c *cache) borrow(k key) (v *version, isNew bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false, &TransientError{failure{ErrClosed.Error(), ErrClosed}}
	}
	now := c.now()
	v, found := c.versions[k]
	if !found {
		if err := c.pauses.remembered(k, now); err != nil {
			return nil, false, err
		}
		// Who makes the client is a borrower too, so that it is not closed meanwhile.
		v = &version{key: k, ready: make(chan struct{}), borrowers: 1}
		c.versions[k] = v
	}
	v.borrowers++
	v.lastAcquired = now
	return v, !found, nil
}

// complete ends the making of a client. One that failed is forgotten before
// anybody learns of it; what is kept is why, for a while.
func (c *cache) complete(v *version, made *client, err error) {
	c.mu.Lock()
	v.client, v.err = made, err
	if err == nil {
		delete(c.pauses, v.key)
	} else {
		delete(c.versions, v.key)
		c.pauses.begin(v.key, c.now(), err)
	}
	last := c.lessOne(v)
	c.mu.Unlock()
	close(v.ready)
	if last {
		v.close()
	}
}

func (c *cache) giveBack(v *version) {
	c.mu.Lock()
	last := c.lessOne(v)
	c.mu.Unlock()
	if last {
		v.close()
	}
}

// lessOne takes a borrower off, under the lock, and tells whether the client must
// be closed with the last one.
func (c *cache) lessOne(v *version) bool {
	v.borrowers--
	return c.closed && v.borrowers == 0
}

func (c *cache) evictIdle() {
	now := c.now()
	c.mu.Lock()
	gone := c.take(func(v *version) bool { return now.Sub(v.lastAcquired) >= c.idleAfter })
	c.pauses.dropOver(now, c.idleAfter)
	c.mu.Unlock()
	closeAll(gone)
}

func (c *cache) close() {
	c.mu.Lock()
	c.closed = true
	gone := c.take(func(*version) bool { return true })
	clear(c.versions) // the rest goes with the last lease
	c.mu.Unlock()
	closeAll(gone)
}

// take removes, under the lock, the versions without borrowers that are due.
func (c *cache) take(due func(*version) bool) []*version {
	var taken []*version
	for k, v := range c.versions {
		if v.borrowers == 0 && due(v) {
			delete(c.versions, k)
			taken = append(taken, v)
		}
	}
	return taken
}

// closeAll is not for under the lock: it reaches into net/http.
func closeAll(versions []*version) {
	for _, v := range versions {
		v.close()
	}
}
