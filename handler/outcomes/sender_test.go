package outcomes_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	for name, codes := range map[string][]int{
		"no answer":       {0, 202},
		"503":             {503, 200},
		"404, twice":      {404, 404, 204},
		"the last chance": {503, 502, 500, 429, 425, 200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWatched(&sink{answer: answers(codes...)})
				w.Send(outcome(patched), cause)
				w.finish()
				got := w.sink.got()
				if len(got) != len(codes) {
					t.Fatalf("%d requests, want %d", len(got), len(codes))
				}
				for _, r := range got {
					if r.event.ID() != got[0].event.ID() {
						t.Errorf("the event has the ids %s and %s, want one", got[0].event.ID(), r.event.ID())
					}
				}
				w.expect(t, map[string]int{"Delivered": 1})
			})
		})
	}
}

func TestWhatIsRefusedIsNotTriedAgain(t *testing.T) {
	for _, code := range []int{301, 400, 403, 409, 413} {
		synctest.Test(t, func(t *testing.T) {
			w := newWatched(&sink{answer: answers(code, 200)})
			w.Send(outcome(patched), cause)
			w.finish()
			if got := len(w.sink.got()); got != 1 {
				t.Errorf("%d requests after %d, want 1", got, code)
			}
			w.expect(t, map[string]int{"Refused": 1})
		})
	}
}

func TestWhatCannotBeSentIsLostOnceAndNotTriedAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		gateway   string
		overrides outcomes.Overrides
		says      string
	}{
		"no event can be made":   {"edge\nx", nil, "subject"},
		"no request can be made": {"edge", outcomes.Overrides{"not-a-name": "x"}, "make a request"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				w := newWatched(&sink{}, func(o *outcomes.Options) { o.Overrides = tc.overrides })
				w.Send(outcome(failing(reconcile.Refused, "no"), named(tc.gateway)), cause)
				w.finish()
				if took := time.Since(begin); took != 0 {
					t.Errorf("it was given up after %s, want at once", took)
				}
				w.expect(t, map[string]int{"Dropped": 1})
				if lines := w.log.lines(t); len(lines) != 1 || !strings.Contains(lines[0].Last, tc.says) {
					t.Errorf("the log is %+v, want one line that says %q", lines, tc.says)
				}
			})
		})
	}
}

// The next run would be told of it in vain as well.
func TestAStandingFailureOfWhichNoEventCanBeMadeIsLostOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{})
		for range 3 {
			w.Send(outcome(failing(reconcile.Refused, "no"), named("edge\nx")), cause)
		}
		w.finish()
		w.expect(t, map[string]int{"Dropped": 1})
	})
}

func TestTriesAreBoundedInNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: answers(503)})
		w.Send(outcome(patched), cause)
		w.finish()
		if got := len(w.sink.got()); got != 6 {
			t.Errorf("%d requests, want 6", got)
		}
		w.expect(t, map[string]int{"Dropped": 1})
	})
}

// The clock is the bubble's.
func TestTriesAreBoundedInTime(t *testing.T) {
	for name, answer := range map[string]func(int, *http.Request) (*http.Response, error){
		"a sink that hangs": hang,
		"a sink that asks for pauses": func(int, *http.Request) (*http.Response, error) {
			return status(http.StatusServiceUnavailable, "Retry-After", "100000"), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				w := newWatched(&sink{answer: answer})
				w.Send(outcome(patched), cause)
				w.finish()
				if took := time.Since(begin); took > time.Minute {
					t.Errorf("the event was given up after %s, want within a minute", took)
				}
				if got := len(w.sink.got()); got < 3 || got > 5 {
					t.Errorf("%d requests, want some, and fewer than of a sink that answers at once", got)
				}
				w.expect(t, map[string]int{"Dropped": 1})
			})
		})
	}
}

func TestASinkThatAsksForAPauseGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: func(n int, _ *http.Request) (*http.Response, error) {
			if n == 1 {
				return status(http.StatusTooManyRequests, "Retry-After", "7"), nil
			}
			return status(http.StatusOK), nil
		}})
		w.Send(outcome(patched), cause)
		w.finish()
		got := w.sink.got()
		if len(got) != 2 || got[1].at.Sub(got[0].at) != 7*time.Second {
			t.Errorf("the requests are %+v, want the second 7 s after the first", got)
		}
	})
}

func TestWithoutOneThePausesGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: answers(503)})
		w.Send(outcome(patched), cause)
		w.finish()
		got := w.sink.got()
		for i, least := 1, 200*time.Millisecond; i < len(got); i, least = i+1, 2*least {
			if pause := got[i].at.Sub(got[i-1].at); pause < least || pause > least*3/2 {
				t.Errorf("pause %d is %s, want it from %s up to half as long again", i, pause, least)
			}
		}
	})
}

func TestOutcomesArriveInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: answers(503, 503, 200)})
		for _, name := range []string{"a", "b", "c"} {
			w.Send(outcome(patched, named(name)), cause)
		}
		w.finish()
		if diff := cmp.Diff([]string{"a", "a", "a", "b", "c"}, w.sink.gateways()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

// One is on its way, 256 wait. In the bubble time passes only where everybody
// waits, so whoever sent would have to have waited for it to pass.
func TestASinkThatHangsHoldsUpNobodyAndTheRestIsDroppedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: hang})
		w.Send(outcome(patched), cause)
		synctest.Wait() // until that one is on its way
		begin := time.Now()
		for i := range 300 {
			w.Send(outcome(patched, named(fmt.Sprint(i))), cause)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("300 outcomes were sent in %s, want no time to pass", took)
		}
		w.expect(t, map[string]int{"Dropped": 44})
		w.close()
		w.expect(t, map[string]int{"Dropped": 301})
		want := []logLine{
			{Msg: "outcomes were not delivered", Last: "too many wait to be delivered", Count: 1},
			{Msg: "outcomes were not delivered", Last: "the process stops", Count: 300},
		}
		if diff := cmp.Diff(want, w.log.lines(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestLossesAreALineAMinuteAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: answers(400)})
		for range 5 {
			w.Send(outcome(patched), cause)
			time.Sleep(40 * time.Second)
		}
		w.finish()
		var counts []int
		for _, line := range w.log.lines(t) {
			counts = append(counts, line.Count)
			if line.Last != "the sink has answered 400" {
				t.Errorf("it says %q", line.Last)
			}
		}
		if diff := cmp.Diff([]int{1, 2, 2}, counts); diff != "" {
			t.Errorf("events lost, by line (-want +got):\n%s", diff)
		}
	})
}

func TestWhatIsSecretOfTheSinkIsInNoLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: answers(0)})
		w.Send(outcome(patched), cause)
		w.finish()
		if log := w.log.String(); !strings.Contains(log, "connection refused") || strings.Contains(log, "s3cret") {
			t.Errorf("the log is %s", log)
		}
	})
}

func TestCloseSendsWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: slow(time.Second)})
		for _, name := range []string{"a", "b", "c"} {
			w.Send(outcome(patched, named(name)), cause)
		}
		w.close()
		w.expect(t, map[string]int{"Delivered": 3})
		if lines := w.log.lines(t); len(lines) > 0 {
			t.Errorf("the log is %+v, want nothing", lines)
		}
	})
}

func TestCloseGivesUpInTimeAndSaysWhatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: slow(1500 * time.Millisecond)})
		for i := range 10 {
			w.Send(outcome(patched, named(fmt.Sprint(i))), cause)
		}
		begin := time.Now()
		w.close()
		if took := time.Since(begin); took != outcomes.CloseTimeout {
			t.Errorf("Close took %s, want the %s that it had", took, outcomes.CloseTimeout)
		}
		w.expect(t, map[string]int{"Delivered": 2, "Dropped": 8})
		lost := 0
		for _, line := range w.log.lines(t) {
			lost += line.Count
		}
		if lost != 8 {
			t.Errorf("the log is %+v, want 8 lost in all", w.log.lines(t))
		}
	})
}

func TestAfterCloseNothingIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{})
		w.close()
		w.Send(outcome(patched), cause)
		w.close() // does no harm
		w.expect(t, map[string]int{"Dropped": 1})
		if got := w.sink.got(); len(got) > 0 {
			t.Errorf("the sink got %+v", got)
		}
	})
}

func TestOverridesAddAndWin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, func(o *outcomes.Options) {
			o.Overrides = outcomes.Overrides{"team": "platform", "causationid": "theirs"}
		})
		w.Send(outcome(patched), cause)
		w.finish()
		want := map[string]any{
			"team": "platform", "causationid": "theirs", "traceparent": "00-00000000000000000000000000000001-0000000000000001-01",
		}
		if diff := cmp.Diff(want, w.sink.got()[0].event.Extensions()); diff != "" {
			t.Errorf("extensions (-want +got):\n%s", diff)
		}
	})
}

func TestEventsHaveIdsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{})
		for range 3 {
			w.Send(outcome(patched), cause)
		}
		w.finish()
		var ids []string
		for _, r := range w.sink.got() {
			ids = append(ids, r.event.ID())
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != 3 {
			t.Errorf("ids are %v, want three", ids)
		}
	})
}

func TestManyMaySendAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{})
		var senders sync.WaitGroup
		for range 10 {
			senders.Go(func() {
				for i := range 10 {
					w.Send(outcome(patched, named(fmt.Sprint(i))), cause)
				}
			})
		}
		senders.Wait()
		w.finish()
		w.expect(t, map[string]int{"Delivered": 100})
	})
}
