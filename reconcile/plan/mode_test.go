package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestTheStricterOfTwoModesHolds(t *testing.T) {
	absent := "\x00"
	for _, tc := range []struct {
		settings plan.Mode
		gateway  string
		dryRun   bool
		by       string
	}{
		{"", absent, false, ""},
		{plan.ModeApply, absent, false, ""},
		{"", "Apply", false, ""},
		{"", "DryRun", true, "its annotation " + plan.ModeKey},
		{plan.ModeApply, "DryRun", true, "its annotation " + plan.ModeKey},
		{plan.ModeDryRun, absent, true, "the handler's settings"},
		{plan.ModeDryRun, "Apply", true, "the handler's settings"},
		{plan.ModeDryRun, "DryRun", true, "the handler's settings"},
		{"nonsense", "Apply", true, "the handler's settings"},
		{"", "apply", true, "its annotation " + plan.ModeKey},
		{"", "", true, "its annotation " + plan.ModeKey},
	} {
		t.Run(string(tc.settings)+" "+tc.gateway, func(t *testing.T) {
			in := baseInput()
			in.Defaults.Mode = tc.settings
			if tc.gateway != absent {
				annotate(in.Gateway, plan.ModeKey, tc.gateway)
			}
			p := plan.For(*in)
			if p.DryRun != tc.dryRun {
				t.Errorf("dry run: %v, want %v", p.DryRun, tc.dryRun)
			}
			if said := messageOf(p, plan.ReasonDryRun); (said != "") != tc.dryRun || !strings.Contains(said, tc.by) {
				t.Errorf("the note is %q, want it there: %v, and by %s", said, tc.dryRun, tc.by)
			}
		})
	}
}

func messageOf(p plan.Plan, reason plan.Reason) string {
	for _, n := range p.Notes {
		if n.Reason == reason {
			return n.Message
		}
	}
	return ""
}

func TestADryRunPlansAsIfItWereNone(t *testing.T) {
	in := settled(*askers())
	annotate(app(&in), plan.ListenerPortKey, "8443")
	want := plan.For(in)
	annotate(in.Gateway, plan.ModeKey, "DryRun")
	got := plan.For(in)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(plan.Plan{}, "DryRun", "Notes")); diff != "" || got.Unchanged() {
		t.Errorf("plan (-without +dry run):\n%s", diff)
	}
}

func TestADryRunSaysWhatWouldBeWritten(t *testing.T) {
	in := settled(*baseInput())
	annotate(in.Gateway, plan.ModeKey, "DryRun")
	app(&in).Spec.DNSNames = []string{"b.example.com", "c.example.com"}
	want := "this is a dry run, by its annotation gateway-cert-operator.io/mode, and nothing is written; else of our listeners 2 would be added, 0 changed and 1 removed (Disruptive). To see it: kubectl gateway-cert plan edge -n infra"
	if diff := cmp.Diff(want, messageOf(plan.For(in), plan.ReasonDryRun)); diff != "" {
		t.Errorf("the note (-want +got):\n%s", diff)
	}
}

func TestADryRunThatWouldWriteOnlyNotesSaysSo(t *testing.T) {
	in := settled(*baseInput())
	in.Gateway.Annotations = map[string]string{plan.ModeKey: "DryRun"}
	if got := messageOf(plan.For(in), plan.ReasonDryRun); !strings.Contains(got, "else no listener would change") {
		t.Errorf("the note is %q", got)
	}
}

// Else whoever may label a Certificate could make ever new Events there.
func TestTheNoteOfADryRunDoesNotGrowWithWhatTenantsAskFor(t *testing.T) {
	note := func(dnsName string) string {
		in := baseInput()
		annotate(in.Gateway, plan.ModeKey, "DryRun")
		app(in).Spec.DNSNames = []string{dnsName}
		return messageOf(plan.For(*in), plan.ReasonDryRun)
	}
	if a, b := note("a.example.com"), note("b.example.com"); a != b || a == "" {
		t.Errorf("the notes differ: %q, %q", a, b)
	}
}

func TestADryRunThatWouldChangeNothingIsNotNoted(t *testing.T) {
	in := settled(*baseInput())
	annotate(in.Gateway, plan.ModeKey, "DryRun")
	if p := plan.For(in); !p.DryRun || !p.Unchanged() || len(p.Notes) > 0 {
		t.Errorf("dry run: %v, notes: %+v, changes: %+v; want an unchanged dry run without a note", p.DryRun, p.Notes, p.Changes)
	}
}

func TestAPauseGoesBeforeADryRun(t *testing.T) {
	in := baseInput()
	annotate(in.Gateway, plan.ModeKey, "DryRun")
	annotate(in.Gateway, plan.PausedKey, "true")
	if p := plan.For(*in); !p.Paused || p.DryRun || len(p.Changes) > 0 {
		t.Errorf("paused: %v, dry run: %v, changes: %+v; want it paused alone", p.Paused, p.DryRun, p.Changes)
	}
}
