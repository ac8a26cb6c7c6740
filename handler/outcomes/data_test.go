package outcomes_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestTheDataSaysWhatTheRunDidAndWhy(t *testing.T) {
	o := outcome(patched, rejecting(taken), func(o *reconcile.Outcome) {
		o.Attempts = 2
		o.Notes = []plan.Finding{{Reason: plan.ReasonConflictingWriter, Message: "somebody undoes it"}}
	})
	want := outcomes.Data{
		Gateway:  outcomes.Gateway{Namespace: "infra", Name: "edge", ResourceVersion: "7"},
		Verdict:  "Patched",
		Attempts: 2,
		Impact:   "Additive",
		Changes: []outcomes.Change{{
			Action: "Added", Listener: "auto-shop-shop-example-com", Hostname: "shop.example.com", Certificate: "infra/shop",
			Impact: "Additive", ImpactReason: "it is new",
		}},
		Rejections: []outcomes.Finding{{Reason: "HostnameTaken", Certificate: "infra/shop", Hostname: "shop.example.com", Message: "another listener has it"}},
		Notes:      []outcomes.Finding{{Reason: "ConflictingWriter", Message: "somebody undoes it"}},
	}
	if diff := cmp.Diff(want, dataOf(t, eventOf(t, o, cause))); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
}

func TestTheDataOfADryRunTellsWhatIsPlannedAndNoChange(t *testing.T) {
	data := dataOf(t, eventOf(t, outcome(trying(added, changed("port"))), cause))
	if data.Verdict != "DryRun" || len(data.Changes) != 0 || len(data.Planned) != 2 || data.Impact != "Disruptive" {
		t.Errorf("%s, %s: changes %+v, planned %+v; want a disruptive dry run with two planned", data.Verdict, data.Impact, data.Changes, data.Planned)
	}
}

func TestTheImpactIsThatOfWhatWasWrittenAlone(t *testing.T) {
	o := outcome(failing(reconcile.TryAgain, "no"), func(o *reconcile.Outcome) { o.Plan.Changes = []plan.Change{changed("port")} })
	if got := dataOf(t, eventOf(t, o, cause)).Impact; got != "None" {
		t.Errorf("the impact of nothing written is %s, want None", got)
	}
}

// Logs and the plugin's output have the planner's own form.
func TestChangesAndFindingsReadAsTheyDoEverywhereElse(t *testing.T) {
	everything := plan.Change{
		Action: plan.Added, Listener: "l", Hostname: "h", Certificate: shop, Fields: []string{"port"}, Restored: true,
	}
	full := plan.Finding{Reason: plan.ReasonHostnameTaken, Certificate: shop, Hostname: "h", Listener: "l", Message: "m", Key: "k"}
	data := dataOf(t, eventOf(t, outcome(patched, rejecting(full, plan.Finding{Reason: "R", Message: "m"}), func(o *reconcile.Outcome) {
		o.Plan.Changes = []plan.Change{everything, added}
	}), cause))
	for name, pair := range map[string][2]any{
		"a change":              {everything, data.Changes[0]},
		"a change with less":    {added, data.Changes[1]},
		"a finding":             {full, data.Rejections[0]},
		"a finding of no owner": {plan.Finding{Reason: "R", Message: "m"}, data.Rejections[1]},
	} {
		elsewhere, err := json.Marshal(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		here, err := json.Marshal(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if string(here) != string(elsewhere) {
			t.Errorf("%s is %s, elsewhere %s", name, here, elsewhere)
		}
	}
}

func TestAFailureIsToldWithoutItsStack(t *testing.T) {
	e := eventOf(t, outcome(failing(reconcile.TryAgain, "panic in the run: boom\ngoroutine 1 [running]:")), cause)
	if got := dataOf(t, e).Error; got != "panic in the run: boom" {
		t.Errorf("error = %q, want the first line", got)
	}
}

func TestAFailureTellsOfNoChangeThatWasNotMade(t *testing.T) {
	o := outcome(failing(reconcile.TryAgain, "no"), func(o *reconcile.Outcome) { o.Plan.Changes = []plan.Change{added} })
	if got := dataOf(t, eventOf(t, o, cause)).Changes; got != nil {
		t.Errorf("changes = %+v, want none", got)
	}
}

func TestListsAndTextsAreCutAndWhatIsLeftOutIsCounted(t *testing.T) {
	short := make([]plan.Finding, 60)
	for i := range short {
		short[i] = taken
	}
	o := outcome(patched, rejecting(short...), failing(reconcile.Refused, strings.Repeat("é", 1000)), func(o *reconcile.Outcome) {
		o.Verdict = reconcile.Patched // an error with it is none of a run, but both are to be bounded
		o.Plan.Changes = make([]plan.Change, 70)
		o.Notes = short[:51]
	})
	data := dataOf(t, eventOf(t, o, cause))
	for name, pair := range map[string][2]int{
		"changes":             {len(data.Changes), 64},
		"changes left out":    {data.ChangesOmitted, 6},
		"rejections":          {len(data.Rejections), 50},
		"rejections left out": {data.RejectionsOmitted, 10},
		"notes":               {len(data.Notes), 50},
		"notes left out":      {data.NotesOmitted, 1},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%d %s, want %d", pair[0], name, pair[1])
		}
	}
	if !utf8.ValidString(data.Error) || len(data.Error) > 512 || !strings.HasSuffix(data.Error, "é…") {
		t.Errorf("the error is %d bytes long and ends in %q", len(data.Error), data.Error[len(data.Error)-6:])
	}
}

// CloudEvents 1.0 has every intermediary forward 64 KiB.
func TestAnEventIsNeverLargerThanItMayBe(t *testing.T) {
	for name, o := range map[string]reconcile.Outcome{
		"long texts":             outcome(rejecting(many(200)...), func(o *reconcile.Outcome) { o.Notes = many(200) }),
		"texts that are escaped": outcome(rejecting(escaped(200)...)),
	} {
		e := eventOf(t, o, cause)
		if got := len(e.Data()); got > 56<<10 || got < 20<<10 {
			t.Errorf("%s: the data has %d bytes, want it below 56 KiB and well filled", name, got)
		}
		data := dataOf(t, e)
		if got := len(data.Rejections) + data.RejectionsOmitted; len(data.Rejections) == 0 || got != 200 {
			t.Errorf("%s: %d rejections and %d left out, want 200 in all", name, len(data.Rejections), data.RejectionsOmitted)
		}
	}
}

// escaped are findings of which JSON makes six times as many bytes.
func escaped(n int) []plan.Finding {
	findings := many(n)
	for i := range findings {
		findings[i].Message = strings.Repeat("<", 512)
	}
	return findings
}
