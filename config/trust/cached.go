package trust

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// DefaultMaxAge is for [Cached]: telemetry goes out every few seconds, and an
// authority is replaced with days to spare.
const DefaultMaxAge = 30 * time.Second

// Cached is a source that asks another again only when what it said is maxAge
// old. Those who ask at the same time share the answer. An error is never kept,
// and never replaced by what was said before it.
//
// It is for ConfigMaps, which cost requests. A file costs none.
func Cached(source Source, maxAge time.Duration) Source {
	return &cached{source: source, maxAge: maxAge}
}

type cached struct {
	source  Source
	maxAge  time.Duration
	flights singleflight.Group

	mu     sync.Mutex
	bundle Bundle
	asked  time.Time // when bundle was asked for
}

func (c *cached) Resolve(ctx context.Context) (Bundle, error) {
	if bundle, ok := c.recall(); ok {
		return bundle, nil
	}
	// A flight outlives the one who began it: others may wait for it. Sources
	// bound their own time.
	flight := c.flights.DoChan("", func() (any, error) { return c.renew(context.WithoutCancel(ctx)) })
	select {
	case landed := <-flight:
		bundle, _ := landed.Val.(Bundle)
		return bundle, landed.Err
	case <-ctx.Done():
		return Bundle{}, &TransientError{"trusted authorities", fmt.Errorf("wait until they are read: %w", ctx.Err())}
	}
}

func (c *cached) renew(ctx context.Context) (Bundle, error) {
	// Another flight may have landed since we looked.
	if bundle, ok := c.recall(); ok {
		return bundle, nil
	}
	asked := time.Now()
	bundle, err := c.source.Resolve(ctx)
	if err != nil {
		return Bundle{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bundle, c.asked = bundle, asked
	return bundle, nil
}

func (c *cached) recall() (Bundle, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bundle, !c.asked.IsZero() && time.Since(c.asked) < c.maxAge
}
