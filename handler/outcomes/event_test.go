package outcomes_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// An empty type means that nothing is told.
func TestWhatIsToldOfEachOutcome(t *testing.T) {
	for name, tc := range map[string]struct {
		outcome reconcile.Outcome
		want    string
	}{
		"a run that changes something":           {outcome(patched), knative.GatewayReconciled},
		"a run that rewrites the ledger alone":   {outcome(patched, func(o *reconcile.Outcome) { o.Plan.Changes = nil }), knative.GatewayReconciled},
		"a run that refuses something":           {outcome(rejecting(taken)), knative.GatewayReconciled},
		"a run that changes and refuses":         {outcome(patched, rejecting(taken)), knative.GatewayReconciled},
		"a Certificate that waits for a Gateway": {outcome(missing), knative.GatewayReconciled},
		"a paused Gateway with a fault":          {outcome(paused, rejecting(taken)), knative.GatewayReconciled},
		"a dry run that would change something":  {outcome(trying(added)), knative.GatewayReconciled},
		"a run that is to be tried again":        {outcome(failing(reconcile.TryAgain, "no")), knative.GatewayFailed},
		"a run that the API server refused":      {outcome(failing(reconcile.Refused, "no")), knative.GatewayFailed},
		"a run that did not begin":               {outcome(swept, failing(reconcile.TryAgain, "no")), knative.GatewayFailed},
		"a sweep's run":                          {outcome(patched, rejecting(taken)), knative.GatewayReconciled},

		"a run that had nothing to do":        {outcome(), ""},
		"a paused Gateway":                    {outcome(paused), ""},
		"a Gateway that nobody waits for":     {outcome(missing, func(o *reconcile.Outcome) { o.Notes = nil }), ""},
		"a run that another event tells of":   {outcome(patched, func(o *reconcile.Outcome) { o.Shared = true }), ""},
		"a failure that another event tells":  {outcome(failing(reconcile.TryAgain, "no"), func(o *reconcile.Outcome) { o.Shared = true }), ""},
		"an event that tells nothing new":     {reconcile.Outcome{Gateway: edge, Verdict: reconcile.Covered}, ""},
		"a sweep that finds a refusal stand":  {outcome(swept, rejecting(taken)), ""},
		"a sweep that finds no Gateway there": {outcome(swept, missing), ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, tells, err := outcomes.Event(tc.outcome, cause, stamp)
			if err != nil || tells != (tc.want != "") || tells && e.Type() != tc.want {
				t.Errorf("told: %v, of type %q, with error %v; want %q", tells, e.Type(), err, tc.want)
			}
		})
	}
}

func TestTheAttributesOfAnEvent(t *testing.T) {
	e := eventOf(t, outcome(patched), cause)
	for attribute, pair := range map[string][2]string{
		"id":              {e.ID(), "id"},
		"time":            {e.Time().String(), stamp.Time.String()},
		"source":          {e.Source(), "/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/edge"},
		"subject":         {e.Subject(), "infra/edge"},
		"datacontenttype": {e.DataContentType(), "application/json"},
		"dataschema":      {e.DataSchema(), "https://gateway-cert-operator.io/schemas/outcome.v1.json"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s = %q, want %q", attribute, pair[0], pair[1])
		}
	}
	if got := len(e.Extensions()); got != 2 {
		t.Errorf("extensions are %v, want traceparent and causationid", e.Extensions())
	}
}

func TestTheSourceIsAURIWhateverTheGatewayIsCalled(t *testing.T) {
	e := eventOf(t, outcome(patched, named("a b/?c")), cause)
	if want := "/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/a%20b%2F%3Fc"; e.Source() != want {
		t.Errorf("source = %s, want %s", e.Source(), want)
	}
}

func TestAnEventThatIsAgainstTheSpecificationIsAnError(t *testing.T) {
	for name, o := range map[string]reconcile.Outcome{
		"a line break in the subject": outcome(patched, named("edge\nx")),
		"a subject that is not ASCII": outcome(patched, named("früh")),
	} {
		if e, tells, err := outcomes.Event(o, cause, stamp); err == nil || !tells {
			t.Errorf("%s: told: %v\n%s", name, tells, e)
		}
	}
	if _, _, err := outcomes.Event(outcome(patched), cause, outcomes.Stamp{}); err == nil {
		t.Error("an event without an id is made")
	}
}

func TestTheTraceOfAnEventIsThatOfTheRun(t *testing.T) {
	state, err := trace.ParseTraceState("vendor=1")
	if err != nil {
		t.Fatal(err)
	}
	long, err := trace.ParseTraceState("a=" + strings.Repeat("x", 255) + ",b=" + strings.Repeat("x", 255))
	if err != nil {
		t.Fatal(err)
	}
	const ofRun = "00-00000000000000000000000000000001-0000000000000001-01"
	for name, tc := range map[string]struct {
		run, cause            trace.SpanContext
		wantParent, wantState any
	}{
		"of its own":                         {run: runSpan, cause: causeSpan, wantParent: ofRun},
		"or that of the work for its cause":  {cause: causeSpan, wantParent: "00-00000000000000000000000000000002-0000000000000002-01"},
		"or none":                            {},
		"with its tracestate":                {run: runSpan.WithTraceState(state), wantParent: ofRun, wantState: "vendor=1"},
		"without a tracestate over 512 byte": {run: runSpan.WithTraceState(long), wantParent: ofRun},
	} {
		t.Run(name, func(t *testing.T) {
			e := eventOf(t, outcome(patched, func(o *reconcile.Outcome) { o.RunSpan = tc.run }), outcomes.Cause{Span: tc.cause})
			if got := e.Extensions()["traceparent"]; got != tc.wantParent {
				t.Errorf("traceparent = %v, want %v", got, tc.wantParent)
			}
			if got := e.Extensions()["tracestate"]; got != tc.wantState {
				t.Errorf("tracestate = %v, want %v", got, tc.wantState)
			}
		})
	}
}

func TestTheCausationIsTheIdOfTheCauseIfAHeaderCanHoldIt(t *testing.T) {
	for id, want := range map[string]any{
		"01eb5329-7545-46fb-bd1e-7a52e0207563": "01eb5329-7545-46fb-bd1e-7a52e0207563",
		"":                                     nil,
		"line\nbreak":                          nil,
		"ü":                                    nil,
		"100%":                                 nil,
		`"quoted"`:                             nil,
		" space":                               nil,
		strings.Repeat("x", 256):               strings.Repeat("x", 256),
		strings.Repeat("x", 257):               nil,
	} {
		e := eventOf(t, outcome(patched), outcomes.Cause{EventID: id})
		if got := e.Extensions()["causationid"]; got != want {
			t.Errorf("causationid of an event %q is %v, want %v", id, got, want)
		}
	}
}
