package outbound

import "time"

// sweepUntilClosed closes, every so often, the clients that nobody has used for
// long.
func (f *Factory) sweepUntilClosed() {
	ticker := time.NewTicker(f.options.SweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			f.cache.evictIdle()
		case <-f.closed:
			f.Close() // if it was the lifetime that ended
			return
		}
	}
}
