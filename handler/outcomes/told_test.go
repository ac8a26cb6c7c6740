package outcomes_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// answered is a failure after attempts, with what the API server said.
func answered(code int, words string) func(*reconcile.Outcome) {
	return func(o *reconcile.Outcome) {
		answer := apierrors.NewGenericServerResponse(code, "patch", schema.GroupResource{Resource: "gateways"}, "edge", words, 0, true)
		o.Verdict, o.Err = reconcile.TryAgain, fmt.Errorf("give up: %w", errors.Join(answer, context.DeadlineExceeded))
	}
}

func timedOut(o *reconcile.Outcome) {
	o.Verdict, o.Err = reconcile.TryAgain, fmt.Errorf("give up: %w", errors.Join(context.DeadlineExceeded))
}

// Each row sends two outcomes, the second after a pause, and perhaps others
// between them that tell nothing.
func TestAStandingRefusalIsToldOnce(t *testing.T) {
	keyed := func(message string) reconcile.Outcome {
		f := taken
		f.Message, f.Key = message, "the same cause"
		return outcome(rejecting(f))
	}
	for name, tc := range map[string]struct {
		first, second reconcile.Outcome
		between       []reconcile.Outcome
		pause         time.Duration
		want          int
	}{
		"the same refusal":                       {outcome(rejecting(taken)), outcome(rejecting(taken)), nil, time.Minute, 1},
		"the same in other words":                {keyed("one"), keyed("two"), nil, time.Minute, 1},
		"the same after a status write":          {outcome(rejecting(taken)), outcome(rejecting(taken), func(o *reconcile.Outcome) { o.ResourceVersion = "8" }), nil, 0, 1},
		"the same after a change that told it":   {outcome(patched, rejecting(taken)), outcome(rejecting(taken)), nil, time.Minute, 1},
		"the same beside covered events":         {outcome(rejecting(taken)), outcome(rejecting(taken)), []reconcile.Outcome{{Gateway: edge, Verdict: reconcile.Covered}}, 0, 1},
		"the same beside a sweep that finds it":  {outcome(rejecting(taken)), outcome(rejecting(taken)), []reconcile.Outcome{outcome(swept, rejecting(taken))}, 0, 1},
		"the same failure":                       {outcome(failing(reconcile.TryAgain, "no")), outcome(failing(reconcile.TryAgain, "no")), nil, time.Minute, 1},
		"the same missing Gateway":               {outcome(missing), outcome(missing), nil, time.Minute, 1},
		"the same much later":                    {outcome(rejecting(taken)), outcome(rejecting(taken)), nil, 11 * time.Minute, 2},
		"the same of another Gateway":            {outcome(rejecting(taken)), outcome(rejecting(taken), named("other")), nil, 0, 2},
		"the same dry run":                       {outcome(trying(added)), outcome(trying(added)), nil, time.Minute, 1},
		"a dry run that would do more":           {outcome(trying()), outcome(trying(added)), nil, 0, 2},
		"a dry run that would do it otherwise":   {outcome(trying(changed("port"))), outcome(trying(changed("tls.options"))), nil, 0, 2},
		"a dry run that ends":                    {outcome(trying(added)), outcome(patched), nil, 0, 2},
		"another refusal":                        {outcome(rejecting(taken)), outcome(rejecting(plan.Finding{Reason: plan.ReasonPortConflict, Certificate: shop, Message: "no"})), nil, 0, 2},
		"one refusal more":                       {outcome(rejecting(taken)), outcome(rejecting(taken, plan.Finding{Reason: plan.ReasonPortConflict, Message: "no"})), nil, 0, 2},
		"the same refusal in other words":        {outcome(rejecting(taken)), outcome(rejecting(plan.Finding{Reason: taken.Reason, Certificate: shop, Hostname: taken.Hostname, Message: "at version 8"})), nil, 0, 1},
		"the same refusal of another hostname":   {outcome(rejecting(taken)), outcome(rejecting(plan.Finding{Reason: taken.Reason, Certificate: shop, Hostname: "blog.example.com"})), nil, 0, 2},
		"the same refusal of another listener":   {outcome(rejecting(taken)), outcome(rejecting(plan.Finding{Reason: taken.Reason, Certificate: shop, Hostname: taken.Hostname, Listener: "https"})), nil, 0, 2},
		"a failure's other words":                {outcome(failing(reconcile.TryAgain, "at version 7")), outcome(failing(reconcile.TryAgain, "at version 8")), nil, 0, 1},
		"an API server's other words":            {outcome(answered(500, "request a")), outcome(answered(500, "request b")), nil, 0, 1},
		"another answer of the API server":       {outcome(answered(500, "no")), outcome(answered(503, "no")), nil, 0, 2},
		"no answer in place of one":              {outcome(answered(500, "no")), outcome(failing(reconcile.TryAgain, "no")), nil, 0, 2},
		"a failure of another kind":              {outcome(failing(reconcile.TryAgain, "no")), outcome(timedOut), nil, 0, 2},
		"a failure that has become a refusal":    {outcome(failing(reconcile.TryAgain, "no")), outcome(failing(reconcile.Refused, "no")), nil, 0, 2},
		"a change with the same refusal":         {outcome(rejecting(taken)), outcome(patched, rejecting(taken)), nil, 0, 2},
		"the same change":                        {outcome(patched), outcome(patched), nil, 0, 2},
		"the same after it was right meanwhile":  {outcome(rejecting(taken)), outcome(rejecting(taken)), []reconcile.Outcome{outcome()}, 0, 2},
		"the same after a sweep found it right":  {outcome(rejecting(taken)), outcome(rejecting(taken)), []reconcile.Outcome{outcome(swept)}, 0, 2},
		"the same after the Gateway was deleted": {outcome(rejecting(taken)), outcome(rejecting(taken)), []reconcile.Outcome{outcome(missing, func(o *reconcile.Outcome) { o.Notes = nil })}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWatched(&sink{})
				w.Send(tc.first, cause)
				for _, o := range tc.between {
					w.Send(o, cause)
				}
				time.Sleep(tc.pause)
				w.Send(tc.second, cause)
				w.finish()
				if got := len(w.sink.got()); got != tc.want {
					t.Errorf("the sink was told %d times, want %d", got, tc.want)
				}
			})
		})
	}
}

func changed(fields ...string) plan.Change {
	return plan.Change{Action: plan.Changed, Listener: added.Listener, Certificate: shop, Fields: fields}
}

func TestAStandingRefusalThatDidNotArriveIsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched(&sink{answer: answers(400, 202)})
		for range 3 {
			w.Send(outcome(rejecting(taken)), cause)
			synctest.Wait()
		}
		w.finish()
		w.expect(t, map[string]int{"Refused": 1, "Delivered": 1})
	})
}
