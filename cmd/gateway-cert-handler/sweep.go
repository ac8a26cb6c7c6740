package main

import (
	"context"
	"time"
)

// firstPause and the others bound how a sweep that failed is made again, each time
// after twice the pause. Nobody sends it again, as events are; after them there is
// the next ping, which comes every ten minutes.
const (
	firstPause = 5 * time.Second
	maxTries   = 5
)

// sweepFor makes one sweep after the other, of the causes that come, until ctx
// ends. sweep reports whether it has looked at everything. A new cause has one
// made at once.
func sweepFor(ctx context.Context, causes <-chan string, sweep func(cause string) (done bool)) {
	var (
		cause string
		tries int
		again <-chan time.Time // nil: there is nothing to be made again
	)
	for {
		select {
		case <-ctx.Done():
			return
		case cause = <-causes:
			tries = 0
		case <-again:
		}
		again = nil
		if tries++; !sweep(cause) && tries < maxTries {
			again = time.After(firstPause << (tries - 1))
		}
	}
}
