package authn

import (
	"crypto/sha256"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
)

// digest stands for a token, which itself is kept nowhere.
type digest = [sha256.Size]byte

// memory holds what has been said of tokens. Those that are not valid have their
// own place: a flood of them shall not push out the valid.
type memory struct {
	now            func() time.Time
	valid, invalid *cache.LRUExpireCache
}

func newMemory(now func() time.Time) *memory {
	return &memory{
		now:     now,
		valid:   cache.NewLRUExpireCacheWithClock(maxRemembered, clock(now)),
		invalid: cache.NewLRUExpireCacheWithClock(maxRemembered, clock(now)),
	}
}

func (m *memory) recall(key digest) (Identity, bool) {
	known, ok := m.valid.Get(key)
	if !ok {
		known, ok = m.invalid.Get(key)
	}
	if !ok {
		return Identity{}, false
	}
	return known.(Identity), true
}

func (m *memory) keep(key digest, identity Identity, token string) {
	if identity.Username == "" {
		m.invalid.Add(key, identity, invalidFor)
		return
	}
	if left := min(validFor, timeLeft(token, m.now())); left > 0 {
		m.valid.Add(key, identity, left)
	}
}

// clock is a function as the cache wants it.
type clock func() time.Time

func (c clock) Now() time.Time { return c() }
