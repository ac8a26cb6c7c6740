package reconcile

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// step is a phase of a run under way: a span, and a duration among the metrics.
type step struct {
	trace.Span
	ctx     context.Context // the span's, for exemplars
	metrics *metrics
	phase   phase
	began   time.Time
}

func (r *Reconciler) begin(ctx context.Context, p phase, attributes ...attribute.KeyValue) (context.Context, *step) {
	ctx, span := r.tracer.Start(ctx, string(p), trace.WithAttributes(attributes...))
	return ctx, &step{span, ctx, r.metrics, p, time.Now()}
}

// done closes the span, with the error on it if there is one, and returns how
// long the phase took.
func (s *step) done(err error) time.Duration {
	took := time.Since(s.began)
	s.metrics.phase(s.ctx, s.phase, took)
	end(s.Span, err)
	return took
}
