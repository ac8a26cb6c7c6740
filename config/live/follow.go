package live

import (
	"context"
	"time"
)

// Follow takes each version that comes, until ctx ends: whenever touched says that
// there may be a new one, once that has been quiet for a moment, and now and then
// without being told. It must run once at most. What comes while a version is
// being loaded is looked at afterwards, so the newest one is in force in the end.
func (s *Settings[T]) Follow(ctx context.Context, touched <-chan struct{}) {
	rechecks := time.NewTicker(recheck)
	defer rechecks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-touched:
			if !quiet(ctx, touched) {
				return
			}
		case <-rechecks.C:
		}
		s.reload(ctx)
	}
}

// quiet waits until nothing has been touched for settle, or for settleAtMost where
// that never comes; false if ctx ends.
func quiet(ctx context.Context, touched <-chan struct{}) bool {
	enough := time.After(settleAtMost)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-touched:
		case <-time.After(settle):
			return true
		case <-enough:
			return true
		}
	}
}
