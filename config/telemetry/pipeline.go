package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/sdk/resource"
)

// outlet is what a pipeline is made from.
type outlet struct {
	env      environment
	resource *resource.Resource
	// client reads the files for TLS. The SDK must not make anything of them: it
	// refuses files that are for all signals beside a signal without TLS.
	client *http.Client
	tally  *tally
	// exportTimeout is on a batch with all its tries.
	exportTimeout time.Duration
}

// pipeline is one signal's way out of the process. An export that fails is no
// error of sdk's, it is in the tally; that ctx ends is one.
type pipeline struct {
	tally         *tally
	exportTimeout time.Duration
	sdk           interface {
		ForceFlush(ctx context.Context) error
		Shutdown(ctx context.Context) error
	}
	stopping atomic.Bool
}

// flush sends what is queued. One that is overtaken by the shutdown ends as if
// all was well, and has proved nothing.
func (p *pipeline) flush(ctx context.Context) {
	offered := p.tally.offers()
	if err := p.sdk.ForceFlush(ctx); err == nil && !p.stopping.Load() {
		p.tally.settle(offered, errNoRoom)
	}
}

// shutdown sends what is queued and stops. What is not sent then is lost.
func (p *pipeline) shutdown(ctx context.Context) {
	p.stopping.Store(true)
	why := errNoRoom
	if err := p.sdk.Shutdown(ctx); err != nil {
		why = fmt.Errorf("there was no time left to send it: %w", err)
	}
	p.tally.close(why)
}

// unlessSet returns the option where the environment does not say otherwise; the
// SDK would let the option win.
func unlessSet[O any](env environment, variable string, option O) []O {
	if env(variable) != "" {
		return nil
	}
	return []O{option}
}
