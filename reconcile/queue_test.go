package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var (
	edgeName  = types.NamespacedName{Namespace: "infra", Name: "edge"}
	otherName = types.NamespacedName{Namespace: "infra", Name: "other"}
)

// runs records what a queue has run, each taking as long as a patch that takes
// patchTook.
type runs struct {
	mu        sync.Mutex
	log       []string
	most, now int
	patchTook time.Duration
	verdict   Verdict
}

func (r *runs) run(_ context.Context, t *turn) Outcome {
	r.mu.Lock()
	r.now++
	r.most = max(r.most, r.now)
	var versions []string
	for _, change := range t.changes {
		versions = append(versions, change.Object.ResourceVersion)
	}
	slices.Sort(versions)
	r.log = append(r.log, t.gateway.Name+" "+strings.Join(versions, "+"))
	r.mu.Unlock()
	time.Sleep(r.patchTook)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now--
	return Outcome{Gateway: t.gateway, Verdict: r.verdict, patchTook: r.patchTook, ResourceVersion: fmt.Sprint(len(r.log))}
}

func version(v string) Change {
	return Change{Kind: Certificate, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: v}}}
}

func noPause() time.Duration { return 0 }

func TestWhatArrivesDuringARunSharesTheNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runs{patchTook: time.Second, verdict: Unchanged}
		q := newQueue(r.run, noPause)
		var group sync.WaitGroup
		outcomes := make([]Outcome, 5)
		for i := range outcomes {
			group.Go(func() { outcomes[i] = q.do(t.Context(), edgeName, version(fmt.Sprint(i))) })
			synctest.Wait() // the first runs, the others wait
		}
		group.Wait()
		if diff := cmp.Diff([]string{"edge 0", "edge 1+2+3+4"}, r.log); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		if outcomes[0].ResourceVersion == outcomes[1].ResourceVersion || outcomes[1].ResourceVersion != outcomes[4].ResourceVersion {
			t.Errorf("outcomes = %+v, want the waiters' to be one", outcomes)
		}
		for i, o := range outcomes {
			if first := i < 2; o.Shared == first {
				t.Errorf("outcome %d is marked as shared: %v", i, o.Shared)
			}
		}
	})
}

func TestGatewaysRunSideBySideUpToABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runs{patchTook: time.Second}
		q := newQueue(r.run, noPause)
		var group sync.WaitGroup
		for i := range 3 * maxParallelRuns {
			group.Go(func() { q.do(t.Context(), types.NamespacedName{Name: fmt.Sprint(i)}, version("1")) })
		}
		start := time.Now()
		group.Wait()
		if r.most != maxParallelRuns || time.Since(start) != 3*time.Second {
			t.Errorf("at most %d side by side, in all %s; want %d and 3 s", r.most, time.Since(start), maxParallelRuns)
		}
	})
}

func TestABurstIsGatheredAndALoneChangeIsNot(t *testing.T) {
	for _, tc := range []struct {
		name      string
		maxGather time.Duration
		took      time.Duration
		verdict   Verdict
		after     time.Duration // since the last patch's end
		want      time.Duration // pause before the next run
	}{
		{"right after a patch of 20 ms", time.Second, 20 * time.Millisecond, Patched, 0, 80 * time.Millisecond},
		{"right after a patch of 1 s", 250 * time.Millisecond, time.Second, Patched, 0, 250 * time.Millisecond},
		{"in the midst of the pause", time.Second, 20 * time.Millisecond, Patched, 50 * time.Millisecond, 30 * time.Millisecond},
		{"after the pause", time.Second, 20 * time.Millisecond, Patched, 100 * time.Millisecond, 0},
		{"right after a run that wrote nothing", time.Second, 20 * time.Millisecond, Unchanged, 0, 0},
		{"switched off", 0, 20 * time.Millisecond, Patched, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &runs{patchTook: tc.took, verdict: tc.verdict}
				q := newQueue(r.run, func() time.Duration { return tc.maxGather })
				start := time.Now()
				q.do(t.Context(), edgeName, version("1"))
				if took := time.Since(start); took != tc.took {
					t.Errorf("the first took %s, want %s: it must not wait", took, tc.took)
				}
				time.Sleep(tc.after)
				start = time.Now()
				q.do(t.Context(), edgeName, version("2"))
				if pause := time.Since(start) - tc.took; pause != tc.want {
					t.Errorf("the second waited %s, want %s", pause, tc.want)
				}
			})
		})
	}
}

func TestOneGatewaysPauseHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runs{patchTook: time.Second, verdict: Patched}
		q := newQueue(r.run, func() time.Duration { return time.Second })
		q.do(t.Context(), edgeName, version("1"))
		start := time.Now()
		q.do(t.Context(), otherName, version("1"))
		if took := time.Since(start); took != time.Second {
			t.Errorf("the other Gateway took %s, want 1 s", took)
		}
	})
}

func TestASenderThatGoesAwayStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runs{patchTook: 5 * time.Second, verdict: Patched}
		q := newQueue(r.run, noPause)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o := q.do(ctx, edgeName, version("1")); o.Verdict != TryAgain || !o.Shared || !errors.Is(o.Err, context.DeadlineExceeded) {
			t.Errorf("outcome = %+v, want to try again, and another to tell of the run", o)
		}
		if o := q.do(t.Context(), edgeName, version("2")); o.Verdict != Patched || len(r.log) != 2 {
			t.Errorf("outcome = %+v after runs %v, want patched after two", o, r.log)
		}
	})
}

func TestAPanicIsAnOutcomeAndTheQueueGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runs{verdict: Patched}
		panics := true
		q := newQueue(func(ctx context.Context, turn *turn) Outcome {
			if panics {
				panics = false
				panic("out of range")
			}
			return r.run(ctx, turn)
		}, noPause)
		if o := q.do(t.Context(), edgeName, version("1")); o.Verdict != TryAgain || !strings.Contains(o.Err.Error(), "out of range") {
			t.Errorf("outcome = %+v, want to try again with the panic's words", o)
		}
		if o := q.do(t.Context(), edgeName, version("2")); o.Verdict != Patched {
			t.Errorf("outcome = %+v, want patched", o)
		}
	})
}

func TestTheQueueForgetsGatewaysThatAreQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runs{}
		q := newQueue(r.run, noPause)
		for i := range 2*maxLanes + 1 {
			q.do(t.Context(), types.NamespacedName{Name: fmt.Sprint(i)}, version("1"))
		}
		synctest.Wait()
		if len(q.lanes) > maxLanes+1 {
			t.Errorf("%d lanes, want at most %d", len(q.lanes), maxLanes)
		}
	})
}

func TestARunReadsNotOlderThanTheNewestOfItsChanges(t *testing.T) {
	for _, tc := range []struct {
		versions []string
		want     string
	}{
		{nil, ""}, {[]string{"9", "10", "2"}, "10"}, {[]string{"10"}, "10"},
	} {
		turn := &turn{changes: []Change{{Kind: Gateway, Object: version("99").Object}, {Kind: Everything}}}
		for _, v := range tc.versions {
			turn.changes = append(turn.changes, version(v))
		}
		if got := turn.notOlderThan(); got != tc.want {
			t.Errorf("notOlderThan of %v = %q, want %q", tc.versions, got, tc.want)
		}
	}
}
