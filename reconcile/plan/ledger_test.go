package plan_test

import (
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestALostLedgerIsFoundAgainFromTheListeners(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	delete(gateway.Annotations, plan.LedgerKey)

	p := plansFor(gateway, baseCertificate())
	if len(p.Changes) != 0 || len(p.Rejections) != 0 || !p.MetadataStale {
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
			if want := `{"auto-app-app-example-com":"infra/app"}`; !p.MetadataStale || p.Ledger.String() != want {
				t.Errorf("ledger = %s (stale: %v), want %s written anew", p.Ledger, p.MetadataStale, want)
			}
		})
	}
}

// Both hostnames spell alike, and the second has the plain name.
func TestALedgersHostnameIsNotTrustedOverTheListeners(t *testing.T) {
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a-b.com")}})
	app(&in).Spec.DNSNames = []string{"a.b.com", "a-b.com"}
	in = settled(in)
	for _, entry := range []string{"infra/a", "infra/a hostname:a.b.com", "infra/a hostname:x.com"} {
		t.Run(entry, func(t *testing.T) {
			edited := in
			edited.Gateway = in.Gateway.DeepCopy()
			ledger := plan.For(in).Ledger.String()
			annotate(edited.Gateway, plan.LedgerKey, strings.Replace(ledger, "infra/a hostname:a-b.com", entry, 1))
			p := plan.For(edited)
			if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners); diff != "" {
				t.Errorf("listeners (-before +after):\n%s", diff)
			}
			if p.Ledger.String() != ledger {
				t.Errorf("ledger = %s, want it written anew as %s", p.Ledger, ledger)
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
	if p := plansFor(gateway, baseCertificate()); !p.MetadataStale || len(p.Changes) != 0 {
		t.Errorf("plan = %+v, want only a stale ledger", p)
	}
}

func TestParseLedgerRefusesWhatItDidNotWrite(t *testing.T) {
	for _, text := range []string{
		"{", "[]", `"x"`, "1", `{"a":1}`, `{"a":"b"}`, `{"a":"/b"}`, `{"a":"b/"}`, `{"a":"b/c/d"}`, `{"a":"b/c"} x`,
		`{"a":"b/c d"}`, `{"a":"b/c hostname"}x`, `{"a":"b/c Hostname:x"}`, `{"a":" b/c"}`, `{"a":"b/c","d":"e"}`,
	} {
		if got, err := plan.ParseLedger(text); err == nil {
			t.Errorf("ParseLedger(%s) = %v, want an error", text, got)
		}
	}
}

func TestLedgerNamesOnlyTheCertificatesInIt(t *testing.T) {
	ledger := plan.Ledger{"auto-a": {Certificate: named("infra", "app")}}
	if !ledger.Names(named("infra", "app")) {
		t.Error("infra/app is not found")
	}
	if ledger.Names(named("infra", "other")) {
		t.Error("infra/other is found")
	}
}

func TestALedgerReadsBackAsItWasWritten(t *testing.T) {
	app := named("infra", "app")
	for text, ledger := range map[string]plan.Ledger{
		``:                                                      {},
		`{"a":"infra/app"}`:                                     {"a": {Certificate: app}},
		`{"a":"infra/app","b":"infra/app"}`:                     {"b": {Certificate: app}, "a": {Certificate: app}},
		`{"a":"infra/app hostname:a-b.com"}`:                    {"a": {Certificate: app, Hostname: "a-b.com"}},
		`{"a":"infra/app hostname:*.x.com"}`:                    {"a": {Certificate: app, Hostname: "*.x.com"}},
		`{"a":"infra/app refused:0123456789abcdef"}`:            {"a": {Certificate: app, Refused: "0123456789abcdef"}},
		`{"a":"infra/app kept:0123456789abcdef"}`:               {"a": {Certificate: app, Kept: "0123456789abcdef"}},
		`{"a":"infra/app hostname:a-b.com refused:01 kept:23"}`: {"a": {Certificate: app, Hostname: "a-b.com", Refused: "01", Kept: "23"}},
	} {
		t.Run(text, func(t *testing.T) {
			if got := ledger.String(); got != text {
				t.Errorf("String() = %s, want %s", got, text)
			}
			got, err := plan.ParseLedger(text)
			if diff := cmp.Diff(ledger, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("ParseLedger(%s): %v, (-want +got):\n%s", text, err, diff)
			}
		})
	}
}

func FuzzParseLedger(f *testing.F) {
	f.Add("")
	f.Add(`{"auto-app-app-example-com":"infra/app"}`)
	f.Add(`{"a":"b/c","a":"d/e"}`)
	f.Add(`{"a":"b/c hostname:x-y.com","b":"b/c refused:0123456789abcdef","c":"b/c kept:0123456789abcdef"}`)
	f.Add(`{"a":"b/c  kept:1\tkept:2 hostname: refused:a:b"}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		ledger, err := plan.ParseLedger(text)
		if err != nil {
			return
		}
		written := ledger.String()
		again, err := plan.ParseLedger(written)
		if err != nil || !cmp.Equal(ledger, again, cmpopts.EquateEmpty()) {
			t.Errorf("ParseLedger(%q).String() = %q reads as %v, %v", text, written, again, err)
		}
		if again.String() != written {
			t.Errorf("%q, read and written again, is %q", written, again.String())
		}
		for name, entry := range ledger {
			if !ledger.Names(entry.Certificate) {
				t.Errorf("Names(%s) = false, and %s is its", entry.Certificate, name)
			}
		}
	})
}
