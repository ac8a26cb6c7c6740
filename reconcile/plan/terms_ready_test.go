package plan_test

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func readiness(status cmmeta.ConditionStatus, revision int) certmanagerv1.CertificateStatus {
	s := certmanagerv1.CertificateStatus{Conditions: []certmanagerv1.CertificateCondition{
		{Type: certmanagerv1.CertificateConditionIssuing, Status: cmmeta.ConditionTrue},
		{Type: certmanagerv1.CertificateConditionReady, Status: status},
	}}
	if revision > 0 {
		s.Revision = &revision
	}
	return s
}

func TestWhenReadyWaitsUntilACertificateHasBeenReady(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status certmanagerv1.CertificateStatus
		want   string
	}{
		{"new", certmanagerv1.CertificateStatus{}, ""},
		{"not Ready", readiness(cmmeta.ConditionFalse, 0), ""},
		{"not known", readiness(cmmeta.ConditionUnknown, 0), ""},
		{"revision 0", certmanagerv1.CertificateStatus{Revision: new(0)}, ""},
		{"Ready", readiness(cmmeta.ConditionTrue, 0), "app.example.com"},
		{"Ready and issued", readiness(cmmeta.ConditionTrue, 1), "app.example.com"},
		{"issued once, not Ready any more", readiness(cmmeta.ConditionFalse, 1), "app.example.com"},
		{"issued, without conditions", certmanagerv1.CertificateStatus{Revision: new(3)}, "app.example.com"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := baseInput()
			annotate(in.Gateway, plan.AttachKey, "WhenReady")
			app(in).Status = tc.status
			p := plan.For(*in)
			if got := attached(p); got != tc.want {
				t.Errorf("attached: %q, want %q", got, tc.want)
			}
			if waits := cmp.Equal(reasons(p), []plan.Reason{plan.ReasonCertificateNotReady}); waits != (tc.want == "") {
				t.Errorf("reasons = %v; want %s only where it waits", reasons(p), plan.ReasonCertificateNotReady)
			}
		})
	}
}

// standingWhenReady is the base Certificate attached by a Gateway that waits.
func standingWhenReady() plan.Input {
	in := baseInput()
	annotate(in.Gateway, plan.AttachKey, "WhenReady")
	app(in).Status = readiness(cmmeta.ConditionTrue, 0)
	return settled(*in)
}

func TestWhenReadyKeepsAListenerWhoseCertificateIsNotReadyAnyMore(t *testing.T) {
	for name, mutate := range map[string]func(*plan.Input){
		"at all":              func(*plan.Input) {},
		"and it moves":        func(in *plan.Input) { annotate(app(in), plan.ListenerPortKey, "8443") },
		"and was taken off":   func(in *plan.Input) { in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[:1] },
		"and the ledger lost": func(in *plan.Input) { delete(in.Gateway.Annotations, plan.LedgerKey) },
	} {
		t.Run(name, func(t *testing.T) {
			in := standingWhenReady()
			app(&in).Status = readiness(cmmeta.ConditionFalse, 0)
			mutate(&in)
			if got := attached(plan.For(in)); got != "app.example.com" {
				t.Errorf("attached: %q, want app.example.com", got)
			}
		})
	}
}

func TestWhenReadyLetsANewHostnameWait(t *testing.T) {
	in := standingWhenReady()
	app(&in).Status = readiness(cmmeta.ConditionFalse, 0)
	app(&in).Spec.DNSNames = []string{"app.example.com", "new.example.com"}
	if got := attached(plan.For(in)); got != "app.example.com" {
		t.Errorf("attached: %q, want app.example.com", got)
	}
}

func TestWhenReadyTakesARenamedCertificateForANewOne(t *testing.T) {
	in := standingWhenReady()
	renamed := certificate("infra", "renamed", "app.example.com")
	in.Certificates = append(in.Certificates, renamed)
	if got := serving(plan.For(in))["app.example.com"]; got != "auto-app-app-example-com" {
		t.Errorf("both there: served by %q, want the old one's auto-app-app-example-com", got)
	}
	in.Certificates = []certmanagerv1.Certificate{renamed}
	if got := attached(plan.For(in)); got != "" {
		t.Errorf("the new one alone, not Ready: attached %q, want nothing", got)
	}
	app(&in).Status = readiness(cmmeta.ConditionTrue, 1)
	if got := serving(plan.For(in))["app.example.com"]; got != "auto-renamed-app-example-com" {
		t.Errorf("the new one Ready: served by %q, want auto-renamed-app-example-com", got)
	}
}

func TestACertificateThatWaitsLeavesItsPlaceToAReadyOne(t *testing.T) {
	in := baseInput()
	annotate(in.Gateway, plan.AttachKey, "WhenReady")
	younger := certificate("infra", "z", "app.example.com")
	younger.Status = readiness(cmmeta.ConditionTrue, 1)
	in.Certificates = append(in.Certificates, younger)
	if got := serving(plan.For(*in))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("served by %q, want auto-z-app-example-com", got)
	}
}

func TestAlwaysDoesNotWait(t *testing.T) {
	in := baseInput()
	annotate(in.Gateway, plan.AttachKey, "Always")
	app(in).Status = readiness(cmmeta.ConditionFalse, 0)
	if got := attached(plan.For(*in)); got != "app.example.com" {
		t.Errorf("attached: %q, want app.example.com", got)
	}
}

func TestNothingIsWrittenToAPausedGateway(t *testing.T) {
	in := settled(*baseInput())
	annotate(in.Gateway, plan.PausedKey, "true")
	in.Gateway.Annotations[plan.LedgerKey] = "{"
	delete(in.Gateway.Labels, plan.ManagedKey)
	in.Certificates = []certmanagerv1.Certificate{certificate("infra", "b", "b.com")}
	p := plan.For(in)
	if !p.Paused || !p.Unchanged() {
		t.Errorf("paused: %v, changes: %v, metadata stale: %v; want it paused and unchanged", p.Paused, p.Changes, p.MetadataStale)
	}
	if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	if len(p.Annotations)+len(p.Labels) != 0 {
		t.Errorf("annotations %v and labels %v are to be written, want none", p.Annotations, p.Labels)
	}
	if diff := cmp.Diff([]plan.Reason{plan.ReasonPaused}, noted(p)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestAGatewayThatIsNotPausedAnyMoreIsCaughtUpWith(t *testing.T) {
	in := settled(*baseInput())
	annotate(in.Gateway, plan.PausedKey, "false")
	in.Certificates = []certmanagerv1.Certificate{certificate("infra", "b", "b.com")}
	if p := plan.For(in); p.Paused || attached(p) != "b.com" {
		t.Errorf("paused: %v, attached: %s; want b.com", p.Paused, attached(p))
	}
}
