package plan_test

import (
	"strings"
	"testing"
	"time"

	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestCaseM2CertManagerIsToldToLeaveOursOut(t *testing.T) {
	for _, issuer := range []string{"cert-manager.io/cluster-issuer", "cert-manager.io/issuer"} {
		t.Run(issuer, func(t *testing.T) {
			in := baseInput()
			annotate(in.Gateway, issuer, "letsencrypt")
			p := plan.For(*in)
			if got := p.Annotations[ignoreKey]; got != "auto-app-app-example-com" {
				t.Errorf("%s = %q, want auto-app-app-example-com", ignoreKey, got)
			}
			if diff := cmp.Diff([]plan.Reason{plan.ReasonCertManagerOverlap}, noted(p)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if again := plan.For(settled(*in)); !again.Unchanged() || len(again.Notes) != 0 {
				t.Errorf("applied, there is still something to do or say: %+v", again)
			}
		})
	}
}

func TestCaseM3UpdatesOfStatusAloneChangeNothing(t *testing.T) {
	in := settled(*baseInput())
	for i := range 50 {
		app(&in).Status = readiness(cmmeta.ConditionTrue, i+1)
		app(&in).Status.RenewalTime = new(metav1.NewTime(dayZero.Add(time.Duration(i) * time.Hour)))
		app(&in).Generation, app(&in).ResourceVersion = int64(i), strings.Repeat("1", i+1)
		if p := plan.For(in); !p.Unchanged() {
			t.Fatalf("update %d changes %+v, want nothing", i, p.Changes)
		}
	}
}

func TestCaseM4AFlapOfReadinessChangesNothing(t *testing.T) {
	for _, attach := range []string{"Always", "WhenReady"} {
		t.Run(attach, func(t *testing.T) {
			in := baseInput()
			annotate(in.Gateway, plan.AttachKey, attach)
			app(in).Status = readiness(cmmeta.ConditionTrue, 0)
			flapping := settled(*in)
			for _, status := range []cmmeta.ConditionStatus{cmmeta.ConditionFalse, cmmeta.ConditionTrue} {
				app(&flapping).Status = readiness(status, 0)
				if p := plan.For(flapping); !p.Unchanged() {
					t.Errorf("Ready %s changes %+v, want nothing", status, p.Changes)
				}
			}
		})
	}
}

func TestCaseM5TheListenerGoesWithItsCertificate(t *testing.T) {
	in := settled(*baseInput())
	in.Certificates = nil
	p := plan.For(in)
	if diff := cmp.Diff(baseGateway().Spec.Listeners, p.Listeners); diff != "" {
		t.Errorf("listeners (-want +got):\n%s", diff)
	}
}

// The text of a refusal does not vary, so that a repeat can be counted.
func TestCaseM6TheSameRefusalIsTheSameFinding(t *testing.T) {
	in := baseInput()
	app(in).Spec.DNSNames = []string{"*", "foo_bar.x.com"}
	in.Certificates = append(in.Certificates, certificate("attacker", "b", "b.com"))
	first := plan.For(*in).Rejections
	for range 10 {
		if diff := cmp.Diff(first, plan.For(*in).Rejections); diff != "" {
			t.Fatalf("rejections (-first +now):\n%s", diff)
		}
	}
}

func TestCaseW2OurListenersComeBackAfterTheOriginalManifest(t *testing.T) {
	in := settled(*baseInput())
	before := in.Gateway.DeepCopy().Spec.Listeners
	in.Gateway.Spec.Listeners = baseGateway().Spec.Listeners
	p := plan.For(in)
	if diff := cmp.Diff(before, p.Listeners); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	if len(p.Changes) != 1 || !p.Changes[0].Restored {
		t.Errorf("changes = %+v, want one that is restored", p.Changes)
	}
}

// legacyListener is one as the gateway-cert-operator wrote it.
func legacyListener(name, namespace, secret, hostname string) gatewayv1.Listener {
	return gatewayv1.Listener{
		Name: gatewayv1.SectionName(name), Hostname: new(gatewayv1.Hostname(hostname)),
		Port: 443, Protocol: gatewayv1.HTTPSProtocolType,
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode: new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{{
				Group: new(gatewayv1.Group(corev1.GroupName)), Kind: new(gatewayv1.Kind("Secret")),
				Name: gatewayv1.ObjectName(secret), Namespace: new(gatewayv1.Namespace(namespace)),
			}},
		},
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}},
	}
}

func TestCaseW4ListenersOfTheOperatorAreTakenOverAsTheyAre(t *testing.T) {
	a58, a200 := strings.Repeat("a", 58), strings.Repeat("a", 200)
	host := strings.Repeat("b", 40) + ".example.com"
	for _, tc := range []struct{ name, certificate, dnsName, listener string }{
		{"a short name", "app", "app.example.com", "auto-app-app-example-com"},
		{"a wildcard", "app", "*.example.com", "auto-app-wildcard-example-com"},
		{"dots in the Certificate's name", "app.example.com", "app.example.com", "auto-app.example.com-app-example-com"},
		{"dots and a hyphen", "a.b", "x-y.com", "auto-a.b-x-y-com"},
		{"dots and a wildcard", "a.b", "*.x.com", "auto-a.b-wildcard-x-com"},
		{"63 characters", a58[:52], "x.com", "auto-" + a58[:52] + "-x-com"},
		{"64 characters", a58[:53], "x.com", "auto-" + a58[:53] + "-x-com"},
		{"over 63 characters", a58, host, "auto-" + a58 + "-" + strings.Repeat("b", 40) + "-example-com"},
		{"253 characters", strings.Repeat("a", 242), "x.com", "auto-" + strings.Repeat("a", 242) + "-x-com"},
		{"cut at 253", strings.Repeat("a", 243), "x.com", "auto-" + strings.Repeat("a", 239) + "-99f9ac5f"},
		{"long, with dots", a200 + ".b", "x.com", "auto-" + a200 + ".b-x-com"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := baseInput()
			*app(in) = certificate("infra", tc.certificate, tc.dnsName)
			app(in).Spec.SecretName = "secret"
			in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, legacyListener(tc.listener, "infra", "secret", tc.dnsName))
			p := plan.For(*in)
			if len(p.Changes) != 0 || len(p.Rejections) != 0 || !p.MetadataStale {
				t.Errorf("changes = %+v, rejections = %v, metadata stale: %v; want only a stale ledger", p.Changes, p.Rejections, p.MetadataStale)
			}
			if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners); diff != "" {
				t.Errorf("listeners (-before +after):\n%s", diff)
			}
			after := settled(*in)
			if again := plan.For(after); !again.Unchanged() {
				t.Errorf("applied, there is still something to do: %+v", again.Changes)
			}
			after.Gateway.Spec.Listeners = after.Gateway.Spec.Listeners[:1]
			if got := namesOf(plan.For(after).Listeners); len(got) != 2 || string(got[1]) != tc.listener {
				t.Errorf("taken off, it comes back as %v, want %s", got, tc.listener)
			}
			after = settled(*in)
			after.Certificates = nil
			if got := len(plan.For(after).Listeners); got != 1 {
				t.Errorf("its Certificate gone: %d listeners, want 1", got)
			}
		})
	}
}

func TestCaseW4AStaleListenerOfTheOperatorStays(t *testing.T) {
	in := baseInput()
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, legacyListener("auto-gone-gone-example-com", "infra", "gone-tls", "gone.example.com"))
	p := plan.For(*in)
	if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners[:2]); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
}

func TestCaseW4ATenantsListenerOfTheOperatorKeepsItsName(t *testing.T) {
	in := baseInput()
	*app(in) = certificate("team-a", "app", "app.example.com")
	in.Defaults.CertificateNamespaces = "All"
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, legacyListener("auto-app-app-example-com", "team-a", "app-tls", "app.example.com"))
	p := plan.For(*in)
	if len(p.Changes) != 1 || !cmp.Equal(p.Changes[0].Fields, []string{"allowedRoutes.namespaces"}) {
		t.Errorf("changes = %+v, want the tenant's routes alone", p.Changes)
	}
	in.Defaults.AllowedRoutes = "All"
	if p := plan.For(*in); len(p.Changes) != 0 {
		t.Errorf("with the operator's defaults: changes = %+v, want none", p.Changes)
	}
}
