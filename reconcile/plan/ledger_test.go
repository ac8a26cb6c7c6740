package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestALostLedgerIsFoundAgainFromTheListeners(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	delete(gateway.Annotations, plan.LedgerKey)

	p := plansFor(gateway, baseCertificate())
	if len(p.Changes) != 0 || len(p.Rejections) != 0 || !p.LedgerStale {
		t.Errorf("plan = %+v, want only a stale ledger", p)
	}
	if want := `{"auto-app-app-example-com":"infra/app"}`; p.Ledger.String() != want {
		t.Errorf("ledger = %s, want %s", p.Ledger, want)
	}
}

func TestALostLedgerIsFoundAgainAlsoWhereThePortCannotBeRead(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	delete(gateway.Annotations, plan.LedgerKey)
	c := baseCertificate()
	c.Annotations = map[string]string{plan.ListenerPortKey: "https"}
	if want := `{"auto-app-app-example-com":"infra/app"}`; plansFor(gateway, c).Ledger.String() != want {
		t.Errorf("ledger = %s, want %s", plansFor(gateway, c).Ledger, want)
	}
}

func TestALedgerThatIsNotTrue(t *testing.T) {
	for _, tc := range []struct{ name, ledger string }{
		{"names a user's listener", `{"http":"infra/app","auto-app-app-example-com":"infra/app"}`},
		{"is not JSON", `{`},
		{"names no Certificate", `{"auto-app-app-example-com":"app"}`},
	} {
		t.Run(tc.name+" removes nothing and is written anew", func(t *testing.T) {
			gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
			gateway.Annotations[plan.LedgerKey] = tc.ledger
			p := plansFor(gateway, baseCertificate())
			if diff := cmp.Diff(gateway.Spec.Listeners, p.Listeners); diff != "" {
				t.Errorf("listeners (-before +after):\n%s", diff)
			}
			if want := `{"auto-app-app-example-com":"infra/app"}`; !p.LedgerStale || p.Ledger.String() != want {
				t.Errorf("ledger = %s (stale: %v), want %s written anew", p.Ledger, p.LedgerStale, want)
			}
		})
	}
}

func TestTheLedgerAndTheLabelGoWithTheLastListener(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	after := applied(gateway, plansFor(gateway))
	if _, ok := after.Annotations[plan.LedgerKey]; ok {
		t.Error("the ledger is still there")
	}
	if _, ok := after.Labels[plan.ManagedKey]; ok {
		t.Error("the managed label is still there")
	}
	if !plansFor(after).Unchanged() {
		t.Error("there is still something to do")
	}
}

func TestAMissingManagedLabelIsPutBack(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	delete(gateway.Labels, plan.ManagedKey)
	if p := plansFor(gateway, baseCertificate()); !p.LedgerStale || len(p.Changes) != 0 {
		t.Errorf("plan = %+v, want only a stale ledger", p)
	}
}

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
