package reconcile

import "context"

type lateKey struct{}

// WithLateOutcomes has f called with the outcome of a run that nobody waits for any
// more at its end, if the first change that it was made for is handled with the
// returned context: [Reconciler.Handle] has said [TryAgain] to whoever asked, for
// the context had ended. The Gateway's next run begins after f.
//
// As with the trace of net/http/httptrace, what f knows is of one request.
func WithLateOutcomes(ctx context.Context, f func(Outcome)) context.Context {
	return context.WithValue(ctx, lateKey{}, f)
}

// LateOutcome calls what [WithLateOutcomes] has put into the context, if anything.
func LateOutcome(ctx context.Context, o Outcome) {
	if f, ok := ctx.Value(lateKey{}).(func(Outcome)); ok {
		f(o)
	}
}
