package handler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func findings(count int, hostname string) []plan.Finding {
	all := make([]plan.Finding, count)
	for i := range all {
		all[i] = plan.Finding{Hostname: hostname, Message: fmt.Sprintf("%d %s", i, hostname)}
	}
	return all
}

// logOf is the one line of an outcome.
func logOf(t *testing.T, o reconcile.Outcome) line {
	t.Helper()
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{o}})
	send(t, server.Server, fixture(t, "certificate-add"))
	lines := server.log.lines(t)
	if len(lines) != 1 {
		t.Fatalf("%d lines, want 1", len(lines))
	}
	return lines[0]
}

func TestALineHasFiftyFindingsOfEachKindAndSaysHowManyMoreThereAre(t *testing.T) {
	for _, tc := range []struct{ found, listed, omitted int }{{0, 0, 0}, {50, 50, 0}, {51, 50, 1}, {5000, 50, 4950}} {
		o := reconcile.Outcome{Verdict: reconcile.Unchanged}
		o.Plan.Rejections, o.Notes = findings(tc.found, "app.example.com"), findings(tc.found, "app.example.com")
		got := logOf(t, o)
		if len(got.Rejections) != tc.listed || got.RejectionsOmitted != tc.omitted || len(got.Notes) != tc.listed || got.NotesOmitted != tc.omitted {
			t.Errorf("of %d findings each, rejections are %d + %d and notes %d + %d, want %d + %d", tc.found,
				len(got.Rejections), got.RejectionsOmitted, len(got.Notes), got.NotesOmitted, tc.listed, tc.omitted)
		}
		if tc.found > 0 && got.Rejections[0].Message != "0 app.example.com" {
			t.Errorf("the first is %+v, want the plan's first", got.Rejections[0])
		}
	}
}

// Nobody checks what stands in a Certificate's dnsNames.
func TestNobodyCanFillTheLog(t *testing.T) {
	long := strings.Repeat("ä", 1<<19)
	o := reconcile.Outcome{Verdict: reconcile.Refused, Err: errors.New(long), ReportErr: errors.New(long)}
	o.Plan.Rejections, o.Plan.Notes = findings(100, long), findings(100, long)
	got := logOf(t, o)
	if got.size > 400_000 {
		t.Errorf("the line has %d bytes, want at most 400000", got.size)
	}
	for _, text := range []string{got.Error, got.Rejections[0].Message, got.Notes[0].Hostname} {
		if !utf8.ValidString(text) || !strings.HasSuffix(text, "ä…") {
			t.Errorf("a text ends with %q, want it cut between two characters", text[len(text)-8:])
		}
	}
	if o.Plan.Rejections[0].Hostname != long {
		t.Error("the outcome itself was cut")
	}
}
