package reconcile

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// queue has one run at a time for each Gateway. Changes that arrive during a run
// wait for one that starts after they have arrived, and share its outcome: the
// run that is under way may have read too early to see them.
type queue struct {
	run func(ctx context.Context, t *turn) Outcome
	// maxGather bounds the pause between two patches of one Gateway; 0 is none.
	maxGather func() time.Duration

	mu    sync.Mutex
	lanes map[types.NamespacedName]*lane
	slots chan struct{} // one for each run that may be under way
}

// lane is one Gateway's part of the queue.
type lane struct {
	next *turn // nil if nobody waits
	busy bool
	// patchTook and patched are of the last patch: how long the API server needed
	// and when it was done.
	patchTook time.Duration
	patched   time.Time
}

// turn is a run to come, or under way.
type turn struct {
	gateway types.NamespacedName
	changes []Change
	// asked is when the first change came.
	asked time.Time
	// ctx is the first change's; links are to the others' spans.
	ctx   context.Context
	links []trace.Link
	// waiting are those who asked and have not left, each by the place of its change.
	waiting []int

	done    chan struct{}
	outcome Outcome // set before done is closed, and waiting is as it was then
}

func newQueue(run func(context.Context, *turn) Outcome, maxGather func() time.Duration) *queue {
	return &queue{
		run: run, maxGather: maxGather,
		lanes: map[types.NamespacedName]*lane{}, slots: make(chan struct{}, maxParallelRuns),
	}
}

// do returns the outcome of a run for the Gateway that starts after now. If ctx
// ends before it has, the run goes on without this change's sender. Of those who
// ask for one run, the first that has not left gets its outcome unshared; if all
// have, it is a late one.
func (q *queue) do(ctx context.Context, gateway types.NamespacedName, change Change) Outcome {
	t, place := q.join(ctx, gateway, change)
	select {
	case <-t.done:
	case <-ctx.Done():
		if q.leave(t, place) {
			return Outcome{
				Gateway: gateway, Verdict: TryAgain, Shared: true,
				Err: fmt.Errorf("wait for a run for Gateway %s: %w", gateway, ctx.Err()),
			}
		}
	}
	o := t.outcome
	o.Shared = place != t.waiting[0]
	if place > 0 && o.RunSpan.IsValid() {
		trace.SpanFromContext(ctx).SetAttributes(runTrace.String(o.RunSpan.TraceID().String()))
	}
	return o
}

// join returns the turn to wait for, and the place of the change in it, from 0.
func (q *queue) join(ctx context.Context, gateway types.NamespacedName, change Change) (_ *turn, place int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lanes[gateway]
	if l == nil {
		l = &lane{}
		q.lanes[gateway] = l
	}
	if l.next == nil {
		// A sender that goes away must not stop what others wait for.
		l.next = &turn{gateway: gateway, asked: time.Now(), ctx: context.WithoutCancel(ctx), done: make(chan struct{})}
	} else if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		l.next.links = append(l.next.links, trace.Link{SpanContext: span})
	}
	place = len(l.next.changes)
	l.next.changes = append(l.next.changes, change)
	l.next.waiting = append(l.next.waiting, place)
	if !l.busy {
		l.busy = true
		go q.serve(l)
	}
	return l.next, place
}

// leave reports whether the asker could leave before the turn was done.
func (q *queue) leave(t *turn, place int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-t.done:
		return false
	default:
		t.waiting = slices.DeleteFunc(t.waiting, func(other int) bool { return other == place })
		return true
	}
}

// finish lets those who wait have the outcome, and reports whether nobody does.
func (q *queue) finish(t *turn, o Outcome) (late bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t.outcome = o
	close(t.done)
	return len(t.waiting) == 0
}

// serve takes turns until nobody waits.
func (q *queue) serve(l *lane) {
	for {
		time.Sleep(q.gather(l))
		q.slots <- struct{}{}
		t := q.take(l) // as late as can be, for others to have joined it
		if q.finish(t, q.guarded(t)) {
			LateOutcome(t.ctx, t.outcome)
		}
		<-q.slots
		if !q.goesOn(l, t.outcome) {
			return
		}
	}
}

// gather returns how long to wait for more before the next patch. A write costs
// the API server the more the larger the Gateway is, so that under a burst the
// pause follows what the last one took; a change with none just before waits for
// nothing.
func (q *queue) gather(l *lane) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if l.patched.IsZero() {
		return 0
	}
	return min(gatherFactor*l.patchTook, q.maxGather()) - time.Since(l.patched)
}

func (q *queue) take(l *lane) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := l.next
	l.next = nil
	return t
}

// goesOn takes note of how a run ended, and reports whether somebody waits.
func (q *queue) goesOn(l *lane, o Outcome) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if o.Verdict == Patched {
		l.patchTook, l.patched = o.patchTook, time.Now()
	}
	l.busy = l.next != nil
	if !l.busy && len(q.lanes) > maxLanes {
		maps.DeleteFunc(q.lanes, func(_ types.NamespacedName, l *lane) bool { return !l.busy })
	}
	return l.busy
}

// guarded runs, and makes an outcome of a panic: what one Gateway holds must not
// end the process, and with it the work for all others.
func (q *queue) guarded(t *turn) (o Outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = Outcome{Gateway: t.gateway, Verdict: TryAgain, Err: fmt.Errorf("panic in the run for Gateway %s: %v\n%s", t.gateway, p, debug.Stack())}
		}
	}()
	return q.run(t.ctx, t)
}

// notOlderThan returns the version that the Certificates must have reached for
// the run to see every change; empty if none is about a Certificate.
func (t *turn) notOlderThan() string {
	newest := ""
	for _, change := range t.changes {
		if change.Kind == Certificate {
			newest = cluster.Newer(newest, change.Object.ResourceVersion)
		}
	}
	return newest
}
