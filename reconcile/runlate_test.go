package reconcile

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// asker asks a queue in the background, and notes what is late of its run.
type asker struct {
	leave context.CancelFunc
	got   chan Outcome
	late  []Outcome
}

func join(t *testing.T, q *queue, change Change) *asker {
	t.Helper()
	a := &asker{got: make(chan Outcome, 1)}
	ctx, leave := context.WithCancel(WithLateOutcomes(t.Context(), func(o Outcome) { a.late = append(a.late, o) }))
	a.leave = leave
	go func() { a.got <- q.do(ctx, edgeName, change) }()
	synctest.Wait()
	return a
}

func TestARunIsToldOfOnceWhoeverOfItsAskersHasLeft(t *testing.T) {
	for name, tc := range map[string]struct {
		leave []int // in that order
		tells int   // who gets the outcome unshared; -1: it is late
	}{
		"nobody":        {nil, 0},
		"one of others": {[]int{1}, 0},
		"the first":     {[]int{0}, 1},
		"all but one":   {[]int{1, 0}, 2},
		"everybody":     {[]int{2, 0, 1}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &runs{patchTook: time.Second, verdict: Patched}
				q := newQueue(r.run, noPause)
				join(t, q, version("0")) // whose run the others wait for
				askers := []*asker{join(t, q, version("1")), join(t, q, version("2")), join(t, q, version("3"))}
				for _, i := range tc.leave {
					askers[i].leave()
					synctest.Wait()
				}
				time.Sleep(3 * time.Second)
				synctest.Wait()
				var late []Outcome
				for i, a := range askers {
					o := <-a.got
					if tells := !o.Shared; tells != (i == tc.tells) {
						t.Errorf("asker %d gets %s, and is to tell of it: %v", i, o.Verdict, tells)
					}
					if left := slices.Contains(tc.leave, i); left != (o.Verdict == TryAgain) {
						t.Errorf("asker %d, who has left: %v, gets %s", i, left, o.Verdict)
					}
					late = append(late, a.late...)
					a.leave()
				}
				if tc.tells >= 0 && len(late) > 0 || tc.tells < 0 && (len(late) != 1 || len(askers[0].late) != 1 || late[0].Verdict != Patched) {
					t.Errorf("late are %+v", late)
				}
			})
		})
	}
}

// Else nobody would tell of the run: it ended while the asker was there.
func TestNobodyLeavesARunThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue((&runs{verdict: Patched}).run, noPause)
		ctx := WithLateOutcomes(t.Context(), func(o Outcome) { t.Errorf("late is %+v", o) })
		turn, place := q.join(ctx, edgeName, version("1"))
		<-turn.done
		if q.leave(turn, place) || turn.waiting[0] != place {
			t.Error("the asker has left")
		}
		synctest.Wait()
	})
}
