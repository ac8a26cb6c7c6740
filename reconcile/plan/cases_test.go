package plan_test

import (
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Faults that people reported against products of this kind: what differs from
// the base, what is attached, and what people are told. Each subtest is called
// after its case.
func TestCasesOfWhatIsAttached(t *testing.T) {
	asks := func(dnsNames ...string) func(*plan.Input) {
		return func(in *plan.Input) { app(in).Spec.DNSNames = dnsNames }
	}
	port := func(says string) func(*plan.Input) {
		return func(in *plan.Input) { annotate(app(in), plan.ListenerPortKey, says) }
	}
	from := func(apiVersion, kind string) func(*plan.Input) {
		return func(in *plan.Input) {
			app(in).OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "edge", Controller: new(true)}}
		}
	}
	for _, tc := range []struct {
		row      string
		mutate   func(*plan.Input)
		attached string
		why      []plan.Reason
		notes    []plan.Reason
	}{
		{"L2 a wildcard and a name", asks("*.foo.example.com", "ok.example.com"), "*.foo.example.com ok.example.com", nil, []plan.Reason{plan.ReasonSharedSecret}},
		{"L6 a name with an umlaut", asks("bücher.example", "ok.example.com"), "ok.example.com xn--bcher-kva.example", nil, []plan.Reason{plan.ReasonSharedSecret}},
		{"L6 a name without an A-label", asks("xn--a.example", "ok.example.com"), "ok.example.com", []plan.Reason{plan.ReasonInvalidHostname}, nil},
		{"L7 a trailing dot", asks("app.example.com."), "app.example.com", nil, nil},
		{"L8 what is no hostname", asks("*", "*.*.x.com", "foo_bar.x.com", "foo.*.com", "*.x.com"), "*.x.com", []plan.Reason{
			plan.ReasonInvalidHostname, plan.ReasonInvalidHostname, plan.ReasonInvalidHostname, plan.ReasonInvalidHostname,
		}, nil},
		{"L9 a commonName only", func(in *plan.Input) { app(in).Spec.DNSNames, app(in).Spec.CommonName = nil, "app.example.com" }, "", []plan.Reason{plan.ReasonNoDNSNames}, nil},
		{"L10 a name twice", asks("foo.x.com", "foo.x.com"), "foo.x.com", nil, nil},
		{"L14 a Certificate that nobody let in", func(in *plan.Input) { app(in).Namespace = "attacker" }, "", []plan.Reason{plan.ReasonNamespaceNotAllowed}, nil},
		{"L16 port 8443", port("8443"), "app.example.com", nil, nil},
		{"L16 port 0", port("0"), "", []plan.Reason{plan.ReasonInvalidPort}, nil},
		{"L16 port https", port("https"), "", []plan.Reason{plan.ReasonInvalidPort}, nil},
		{"L16 port 70000", port("70000"), "", []plan.Reason{plan.ReasonInvalidPort}, nil},
		{"L18 one Secret behind two", asks("a.x.com", "b.x.com"), "a.x.com b.x.com", nil, []plan.Reason{plan.ReasonSharedSecret}},
		{"M1 made from a Gateway", from("gateway.networking.k8s.io/v1", "Gateway"), "", nil, []plan.Reason{plan.ReasonFromListener}},
		{"M1 made from a ListenerSet", from("gateway.networking.k8s.io/v1", "ListenerSet"), "", nil, []plan.Reason{plan.ReasonFromListener}},
		{"M7 a wildcard and one below it", asks("*.x.com", "k.x.com"), "*.x.com k.x.com", nil, []plan.Reason{plan.ReasonSharedSecret}},
	} {
		t.Run(tc.row, func(t *testing.T) {
			in := baseInput()
			tc.mutate(in)
			p := plan.For(*in)
			if got := attached(p); got != tc.attached {
				t.Errorf("attached: %q, want %q", got, tc.attached)
			}
			if diff := cmp.Diff(tc.why, reasons(p)); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.notes, noted(p)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if again := plan.For(settled(*in)); !again.Unchanged() {
				t.Errorf("applied, there is still something to do: %+v", again.Changes)
			}
		})
	}
}

// What a listener is called.
func TestCasesOfNames(t *testing.T) {
	long := strings.Repeat("a", 200)
	for _, tc := range []struct {
		row          string
		certificates []certmanagerv1.Certificate
		wantPlain    string // who has the plain name; empty for nobody
	}{
		{"L2 a wildcard", []certmanagerv1.Certificate{certificate("infra", "app", "*.foo.example.com")}, "auto-app-wildcard-foo-example-com"},
		{"L3 two names that spell alike", []certmanagerv1.Certificate{certificate("infra", "a", "a.b.com", "a-b.com")}, "auto-a-a-b-com"},
		{"L4 two Certificates that spell alike", []certmanagerv1.Certificate{certificate("infra", "a", "b-c.com"), certificate("infra", "a-b", "c.com")}, "auto-a-b-c-com"},
		{"L5 long names", []certmanagerv1.Certificate{certificate("infra", long, strings.Repeat("b", 56)+".com", strings.Repeat("b", 55)+".com"), certificate("infra", long+"b", "c.com")}, ""},
	} {
		t.Run(tc.row, func(t *testing.T) {
			p := plansFor(baseGateway(), tc.certificates...)
			distinct(t, p.Listeners)
			plain := ""
			for _, l := range p.Listeners[1:] {
				if errs := validation.IsDNS1123Label(string(l.Name)); len(errs) > 0 {
					t.Errorf("name %s: %v", l.Name, errs)
				}
				if string(l.Name) == tc.wantPlain {
					plain = tc.wantPlain
				}
			}
			if plain != tc.wantPlain {
				t.Errorf("names = %v, want %s among them", namesOf(p.Listeners), tc.wantPlain)
			}
		})
	}
}

func TestCaseL1SeventyNames(t *testing.T) {
	in := baseInput()
	app(in).Spec.DNSNames = dnsNames(70)
	p := plan.For(*in)
	if got := len(p.Listeners); got != 64 {
		t.Fatalf("%d listeners, want 64", got)
	}
	var left []string
	for _, r := range p.Rejections {
		if r.Reason != plan.ReasonTooManyListeners {
			t.Errorf("reason %s, want only %s", r.Reason, plan.ReasonTooManyListeners)
		}
		left = append(left, r.Hostname)
	}
	if diff := cmp.Diff(dnsNames(70)[63:], left); diff != "" {
		t.Errorf("hostnames left out (-want +got):\n%s", diff)
	}
	if again := plan.For(settled(*in)); !again.Unchanged() {
		t.Errorf("the second plan changes %v, want nothing", again.Changes)
	}
}

func TestCaseL11TwoCertificatesForOneHostname(t *testing.T) {
	older, younger := baseCertificate(), certificate("infra", "z", "app.example.com")
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{younger, older}})
	if got := serving(plan.For(in))["app.example.com"]; got != "auto-app-app-example-com" {
		t.Errorf("both there: served by %s, want the older's auto-app-app-example-com", got)
	}
	in.Certificates[0].Spec.SecretName = "renewed"
	if p := plan.For(in); !p.Unchanged() {
		t.Errorf("the younger changed: changes = %+v, want none", p.Changes)
	}
	in.Certificates = in.Certificates[:1]
	if got := serving(plan.For(in))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("the older gone: served by %s, want the younger's auto-z-app-example-com", got)
	}
}

func TestCaseL12AUsersListeners(t *testing.T) {
	in := baseInput()
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners,
		userListener("mine", gatewayv1.HTTPSProtocolType), gatewayv1.Listener{Name: "auto-mine", Port: 8080, Protocol: gatewayv1.HTTPProtocolType})
	p := plan.For(*in)
	if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	if !cmp.Equal(reasons(p), []plan.Reason{plan.ReasonHostnameTaken}) || !strings.Contains(p.Rejections[0].Message, `"mine"`) {
		t.Errorf("rejections = %+v, want one %s that names mine", p.Rejections, plan.ReasonHostnameTaken)
	}
}

func TestCaseL13TheOnlyListenerIsOurs(t *testing.T) {
	in := settled(*baseInput())
	in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[1:]
	in.Certificates = nil
	p := plan.For(in)
	if !p.Unchanged() || len(p.Listeners) != 1 || !cmp.Equal(reasons(p), []plan.Reason{plan.ReasonLastListenerKept}) {
		t.Errorf("listeners = %v, reasons = %v; want it kept with reason %s", namesOf(p.Listeners), reasons(p), plan.ReasonLastListenerKept)
	}
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, baseGateway().Spec.Listeners...)
	if got := namesOf(plan.For(in).Listeners); !cmp.Equal(got, []gatewayv1.SectionName{"http"}) {
		t.Errorf("with another listener: %v, want http alone", got)
	}
}

func TestCaseL15ATenantWithoutAGrant(t *testing.T) {
	in := tenantWithGrants()
	p := plan.For(*in)
	if ns := p.Listeners[1].TLS.CertificateRefs[0].Namespace; ns == nil || *ns != "team-a" {
		t.Errorf("the reference's namespace = %v, want team-a", ns)
	}
	if got := noted(p); !cmp.Equal(got, []plan.Reason{plan.ReasonMissingReferenceGrant}) {
		t.Errorf("notes = %v, want %s", got, plan.ReasonMissingReferenceGrant)
	}
}

func TestCaseL17ASecondCertificateChangesNoOtherListener(t *testing.T) {
	in := settled(*baseInput())
	in.Certificates = append(in.Certificates, certificate("infra", "aa", "0.example.com"))
	p := plan.For(in)
	if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners[:2]); diff != "" {
		t.Errorf("listeners that were there (-before +after):\n%s", diff)
	}
	if len(p.Changes) != 1 || p.Changes[0].Action != plan.Added {
		t.Errorf("changes = %+v, want one %s", p.Changes, plan.Added)
	}
}

func TestCaseL19WhatSomeoneFlipsIsHealed(t *testing.T) {
	in := settled(*baseInput())
	want := in.Gateway.DeepCopy().Spec.Listeners
	l := &in.Gateway.Spec.Listeners[1]
	l.Protocol, l.AllowedRoutes.Namespaces.From = gatewayv1.TLSProtocolType, new(gatewayv1.NamespacesFromSame)
	l.TLS.CertificateRefs = append(l.TLS.CertificateRefs, gatewayv1.SecretObjectReference{Name: "second"})
	p := plan.For(in)
	if diff := cmp.Diff(want, p.Listeners); diff != "" {
		t.Errorf("listeners (-before +healed):\n%s", diff)
	}
	if len(p.Changes) != 1 {
		t.Errorf("changes = %+v, want one", p.Changes)
	}
}

func TestCaseL20TheSecretMoves(t *testing.T) {
	in := settled(*baseInput())
	app(&in).Spec.SecretName = "elsewhere"
	want := []plan.Change{{
		Action: plan.Changed, Listener: "auto-app-app-example-com", Hostname: "app.example.com",
		Certificate: named("infra", "app"), Fields: []string{"tls.certificateRefs"},
	}}
	if diff := cmp.Diff(want, plan.For(in).Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
