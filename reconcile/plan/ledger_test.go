package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestParseLedgerRefusesWhatItDidNotWrite(t *testing.T) {
	for _, text := range []string{
		"{", "[]", `"x"`, "1", `{"a":1}`, `{"a":"b"}`, `{"a":"/b"}`, `{"a":"b/"}`, `{"a":"b/c/d"}`, `{"a":"b/c"} x`,
	} {
		if got, err := plan.ParseLedger(text); err == nil {
			t.Errorf("ParseLedger(%s) = %v, want an error", text, got)
		}
	}
}

func TestLedgerNamesOnlyTheCertificatesInIt(t *testing.T) {
	ledger := plan.Ledger{"auto-a": named("infra", "app")}
	if !ledger.Names(named("infra", "app")) {
		t.Error("infra/app is not found")
	}
	if ledger.Names(named("infra", "other")) {
		t.Error("infra/other is found")
	}
}

func FuzzParseLedger(f *testing.F) {
	f.Add("")
	f.Add(`{"auto-app-app-example-com":"infra/app"}`)
	f.Add(`{"a":"b/c","a":"d/e"}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		ledger, err := plan.ParseLedger(text)
		if err != nil {
			return
		}
		again, err := plan.ParseLedger(ledger.String())
		if err != nil || len(again) != len(ledger) || len(ledger) > 0 && !cmp.Equal(ledger, again) {
			t.Errorf("ParseLedger(%q).String() = %q reads as %v, %v", text, ledger.String(), again, err)
		}
	})
}
