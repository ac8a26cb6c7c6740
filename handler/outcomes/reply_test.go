package outcomes_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

func replying(o *outcomes.Options) { o.Reply = func() bool { return true } }

func withoutSink(o *outcomes.Options) { o.Sink, o.Client = nil, nil }

// answer writes the answer to an event and returns the subject of what it carries.
func (w *watched) answer(all ...reconcile.Outcome) string {
	reply := w.Reply(all, cause)
	if reply == nil {
		return ""
	}
	reply.Written(nil)
	return reply.Event.Subject()
}

func TestAnAnswerCarriesOneOutcomeAndTheSinkGetsTheOthers(t *testing.T) {
	a, b, failed := outcome(patched, named("a")), outcome(patched, named("b")), outcome(failing(reconcile.Refused, "no"), named("failed"))
	for name, tc := range map[string]struct {
		all   []reconcile.Outcome
		reply string
		sink  []string
	}{
		"nothing to tell":        {[]reconcile.Outcome{outcome()}, "", nil},
		"no Gateway":             {nil, "", nil},
		"one":                    {[]reconcile.Outcome{a}, "infra/a", nil},
		"the first of two":       {[]reconcile.Outcome{a, b}, "infra/a", []string{"b"}},
		"a failure before it":    {[]reconcile.Outcome{failed, a}, "infra/failed", []string{"a"}},
		"a failure behind it":    {[]reconcile.Outcome{a, failed, b}, "infra/failed", []string{"a", "b"}},
		"the first failure":      {[]reconcile.Outcome{a, outcome(failing(reconcile.Refused, "no"), named("z")), failed}, "infra/z", []string{"a", "failed"}},
		"one beside what is not": {[]reconcile.Outcome{outcome(), a, outcome(swept)}, "infra/a", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWatched(&sink{}, replying)
				if got := w.answer(tc.all...); got != tc.reply {
					t.Errorf("the answer carries one of %q, want %q", got, tc.reply)
				}
				w.finish()
				if diff := cmp.Diff(tc.sink, w.sink.gateways()); diff != "" {
					t.Errorf("the sink was told of (-want +got):\n%s", diff)
				}
				told := len(tc.sink)
				if tc.reply != "" {
					told++
				}
				w.expect(t, map[string]int{"Delivered": told})
			})
		})
	}
}

func TestTheReplySaysWhatTheSinkWouldHaveBeenToldButForTheOverrides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying, func(o *outcomes.Options) { o.Overrides = outcomes.Overrides{"team": "platform"} })
		e := w.Reply([]reconcile.Outcome{outcome(patched)}, cause).Event
		w.finish()
		want := eventOf(t, outcome(patched), cause)
		if diff := cmp.Diff(want.Extensions(), e.Extensions()); diff != "" || string(e.Data()) != string(want.Data()) {
			t.Errorf("extensions (-want +got):\n%s\ndata:\n%s", diff, e.Data())
		}
	})
}

func TestAProcessThatStopsSaysWhatNoAnswerHasCarried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying, withoutSink)
		if w.answer(outcome(patched), outcome(patched, named("b"))) == "" {
			t.Error("the answer carries nothing")
		}
		w.Send(outcome(patched), cause)
		w.expect(t, map[string]int{"Delivered": 1})
		w.close()
		w.Send(outcome(patched), cause)
		w.expect(t, map[string]int{"Delivered": 1, "Dropped": 3})
		lost := 0
		for _, line := range w.log.lines(t) {
			lost += line.Count
		}
		if lost != 2 {
			t.Errorf("the log is %+v, want it to tell of the 2 that waited", w.log.lines(t))
		}
	})
}

func TestUnlessItIsAskedForNoAnswerCarriesAnything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{})
		if got := w.answer(outcome(patched), outcome(patched, named("b"))); got != "" {
			t.Errorf("the answer carries one of %s", got)
		}
		w.finish()
		w.expect(t, map[string]int{"Delivered": 2})
	})
}

func TestAReplyIsNotRepeatedEither(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying)
		for i, want := range []string{"infra/edge", ""} {
			if got := w.answer(outcome(rejecting(taken))); got != want {
				t.Errorf("answer %d carries one of %q, want %q", i+1, got, want)
			}
		}
		w.finish()
	})
}

func TestAReplyIsCountedOnceItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying)
		reply := w.Reply([]reconcile.Outcome{outcome(patched)}, cause)
		w.expect(t, map[string]int{})
		reply.Written(nil)
		w.finish()
		w.expect(t, map[string]int{"Delivered": 1})
	})
}

func TestAReplyThatCouldNotBeWrittenIsLostAndToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{}, replying)
		w.Reply([]reconcile.Outcome{outcome(rejecting(taken))}, cause).Written(errors.New("broken pipe"))
		w.expect(t, map[string]int{"Dropped": 1})
		if w.answer(outcome(rejecting(taken))) == "" {
			t.Error("the next answer carries nothing")
		}
		w.finish()
		if lines := w.log.lines(t); len(lines) != 1 || !strings.Contains(lines[0].Last, "broken pipe") {
			t.Errorf("the log is %+v, want one line that says why", lines)
		}
	})
}
