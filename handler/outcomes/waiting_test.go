package outcomes_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Each row tells of outcomes that no answer is there for, as those of a sweep, and
// then gives answers to events, each about the Gateways of its outcomes.
func TestWhatNoAnswerWasThereForIsCarriedByALaterOne(t *testing.T) {
	refused := outcome(failing(reconcile.Refused, "no"), named("b"))
	a, b := outcome(named("a")), outcome(named("b"))
	patchedA, patchedB := outcome(patched, named("a")), outcome(patched, named("b"))
	for name, tc := range map[string]struct {
		sent    []reconcile.Outcome
		answers [][]reconcile.Outcome
		carried []string
		lost    int
	}{
		"by the next one":                  {[]reconcile.Outcome{patchedA}, [][]reconcile.Outcome{{a}, {a}}, []string{"infra/a", ""}, 0},
		"by that to an event that is late": {[]reconcile.Outcome{patchedA}, [][]reconcile.Outcome{{{Gateway: a.Gateway, Verdict: reconcile.Covered}}}, []string{"infra/a"}, 0},
		"by the next about that Gateway":   {[]reconcile.Outcome{patchedA}, [][]reconcile.Outcome{{b}, {}, {a}}, []string{"", "", "infra/a"}, 0},
		"one at a time":                    {nil, [][]reconcile.Outcome{{patchedA, patchedB}, {a, b}, {a, b}}, []string{"infra/a", "infra/b", ""}, 0},
		"a failure first":                  {[]reconcile.Outcome{patchedA, refused}, [][]reconcile.Outcome{{a, b}, {a}}, []string{"infra/b", "infra/a"}, 0},
		"before one that is newer":         {[]reconcile.Outcome{patchedB}, [][]reconcile.Outcome{{refused}, {b}, {b}}, []string{"infra/b", "infra/b", ""}, 0},
		"but for one that is outdated":     {[]reconcile.Outcome{patchedA, patchedA, patchedB}, [][]reconcile.Outcome{{a}, {a}, {b}}, []string{"infra/a", "", "infra/b"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWatched(&sink{}, replying, withoutSink)
				for _, o := range tc.sent {
					w.Send(o, cause)
				}
				var carried []string
				told := 0
				for _, all := range tc.answers {
					subject := w.answer(all...)
					carried = append(carried, subject)
					if subject != "" {
						told++
					}
				}
				if diff := cmp.Diff(tc.carried, carried); diff != "" {
					t.Errorf("the answers carried (-want +got):\n%s", diff)
				}
				w.finish()
				w.expect(t, map[string]int{"Delivered": told, "Dropped": tc.lost})
			})
		})
	}
}

func TestOfOneGatewayTheOlderIsToldFirstAndTheNewestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying, withoutSink)
		at := func(version string) reconcile.Outcome {
			return outcome(patched, func(o *reconcile.Outcome) { o.ResourceVersion = version })
		}
		w.Send(at("1"), cause)
		w.Send(at("2"), cause)
		var told []string
		for _, o := range []reconcile.Outcome{at("3"), outcome()} {
			told = append(told, dataOf(t, w.Reply([]reconcile.Outcome{o}, cause).Event).Gateway.ResourceVersion)
		}
		if diff := cmp.Diff([]string{"2", "3"}, told); diff != "" {
			t.Errorf("versions told (-want +got):\n%s", diff)
		}
		w.finish()
	})
}

func TestWhatWaitsForAnAnswerKeepsItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying, withoutSink)
		w.Send(outcome(patched), outcomes.Cause{})
		e := w.Reply([]reconcile.Outcome{outcome()}, cause).Event
		if id, there := e.Extensions()["causationid"]; there {
			t.Errorf("causationid = %v, want none: no event was the cause", id)
		}
		w.finish()
	})
}

func TestNoMoreThan256WaitForAnAnswerAndTheOldestIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying, withoutSink)
		for i := range 257 {
			w.Send(outcome(rejecting(taken), named(fmt.Sprint(i))), cause)
		}
		w.expect(t, map[string]int{"Dropped": 1})
		if got := w.answer(outcome(named("0"))); got != "" {
			t.Errorf("the oldest, %s, waits still", got)
		}
		if got := w.answer(outcome(named("1"))); got != "infra/1" {
			t.Errorf("the answer carries one of %q, want that of the second", got)
		}
		if got := w.answer(outcome(rejecting(taken), named("0"))); got != "infra/0" {
			t.Errorf("the answer carries one of %q, want that of the oldest, told anew", got)
		}
		w.close()
		w.expect(t, map[string]int{"Delivered": 2, "Dropped": 256})
	})
}
