package plan_test

import (
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// tenantWithGrants is a Gateway that takes a tenant's Certificate, with the
// grants that there are.
func tenantWithGrants(grants ...gatewayv1.ReferenceGrant) *plan.Input {
	in := baseInput()
	annotate(in.Gateway, plan.CertificateNamespacesKey, "All")
	app(in).Namespace = "team-a"
	in.Grants = append([]gatewayv1.ReferenceGrant{}, grants...)
	return in
}

// grant lets infra's Gateways refer to every Secret of team-a.
func grant(mutate func(*gatewayv1.ReferenceGrant)) gatewayv1.ReferenceGrant {
	g := gatewayv1.ReferenceGrant{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "edge"},
		Spec: gatewayv1.ReferenceGrantSpec{
			From: []gatewayv1.ReferenceGrantFrom{{Group: "gateway.networking.k8s.io", Kind: "Gateway", Namespace: "infra"}},
			To:   []gatewayv1.ReferenceGrantTo{{Kind: "Secret"}},
		},
	}
	mutate(&g)
	return g
}

func TestAReferenceGrantThatIsMissing(t *testing.T) {
	for _, tc := range []struct {
		name    string
		mutate  func(*gatewayv1.ReferenceGrant)
		missing bool
	}{
		{"for all names", func(*gatewayv1.ReferenceGrant) {}, false},
		{"by name", func(g *gatewayv1.ReferenceGrant) { g.Spec.To[0].Name = new(gatewayv1.ObjectName("app-tls")) }, false},
		{"beside what it also grants", func(g *gatewayv1.ReferenceGrant) {
			g.Spec.From = append([]gatewayv1.ReferenceGrantFrom{{Group: "x", Kind: "Y", Namespace: "z"}}, g.Spec.From...)
			g.Spec.To = append([]gatewayv1.ReferenceGrantTo{{Kind: "Service"}}, g.Spec.To...)
		}, false},
		{"for another name", func(g *gatewayv1.ReferenceGrant) { g.Spec.To[0].Name = new(gatewayv1.ObjectName("other")) }, true},
		{"for another kind", func(g *gatewayv1.ReferenceGrant) { g.Spec.To[0].Kind = "Service" }, true},
		{"for another group", func(g *gatewayv1.ReferenceGrant) { g.Spec.To[0].Group = "example.com" }, true},
		{"for nothing", func(g *gatewayv1.ReferenceGrant) { g.Spec.To = nil }, true},
		{"from another namespace", func(g *gatewayv1.ReferenceGrant) { g.Spec.From[0].Namespace = "team-a" }, true},
		{"from another kind", func(g *gatewayv1.ReferenceGrant) { g.Spec.From[0].Kind = "HTTPRoute" }, true},
		{"from another group", func(g *gatewayv1.ReferenceGrant) { g.Spec.From[0].Group = "" }, true},
		{"from nobody", func(g *gatewayv1.ReferenceGrant) { g.Spec.From = nil }, true},
		{"in the Gateway's namespace", func(g *gatewayv1.ReferenceGrant) { g.Namespace = "infra" }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := plan.For(*tenantWithGrants(grant(tc.mutate)))
			want := []plan.Reason(nil)
			if tc.missing {
				want = []plan.Reason{plan.ReasonMissingReferenceGrant}
			}
			if diff := cmp.Diff(want, noted(p)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if got := attached(p); got != "app.example.com" {
				t.Errorf("attached: %q, want app.example.com in any case", got)
			}
		})
	}
}

func TestAMissingGrantIsSaidOnceForACertificateAndNamesTheSecret(t *testing.T) {
	in := tenantWithGrants()
	app(in).Spec.DNSNames = []string{"a.com", "b.com"}
	var said []plan.Finding
	for _, n := range plan.For(*in).Notes {
		if n.Reason == plan.ReasonMissingReferenceGrant {
			said = append(said, n)
		}
	}
	if len(said) != 1 || said[0].Certificate != named("team-a", "app") || !strings.Contains(said[0].Message, "app-tls") || !strings.Contains(said[0].Message, "infra") {
		t.Errorf("notes = %+v, want one about team-a/app that names Secret app-tls and namespace infra", said)
	}
}

func TestNoGrantIsMissedWhereNoneIsNeededOrKnown(t *testing.T) {
	unknown := tenantWithGrants()
	unknown.Grants = nil
	own := baseInput()
	own.Grants = []gatewayv1.ReferenceGrant{}
	refused := tenantWithGrants()
	annotate(refused.Gateway, plan.CertificateNamespacesKey, "Same")
	for name, in := range map[string]*plan.Input{"grants not known": unknown, "own namespace": own, "not attached": refused} {
		t.Run(name, func(t *testing.T) {
			if got := noted(plan.For(*in)); len(got) != 0 {
				t.Errorf("notes = %v, want none", got)
			}
		})
	}
}

func TestOneSecretBehindSeveralListeners(t *testing.T) {
	two := func(in *plan.Input) { app(in).Spec.DNSNames = []string{"a.com", "b.com"} }
	shared := certificate("infra", "b", "b.com")
	shared.Spec.SecretName = "app-tls"
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input)
		about  []string // Certificates
	}{
		{"one", func(*plan.Input) {}, nil},
		{"two of one Certificate", two, []string{"infra/app"}},
		{"two Certificates with one Secret", func(in *plan.Input) { in.Certificates = append(in.Certificates, shared) }, []string{"infra/app", "infra/b"}},
		{"two Certificates with a Secret each", func(in *plan.Input) {
			in.Certificates = append(in.Certificates, certificate("infra", "b", "b.com"))
		}, nil},
		{"one name of Secret in two namespaces", func(in *plan.Input) {
			annotate(in.Gateway, plan.CertificateNamespacesKey, "All")
			other := shared
			other.Namespace = "team-a"
			in.Certificates = append(in.Certificates, other)
		}, nil},
		{"two of which one is left out", func(in *plan.Input) { two(in); annotate(in.Gateway, plan.MaxListenersKey, "1") }, nil},
		{"a user's listener with our Secret", func(in *plan.Input) {
			l := userListener("mine", gatewayv1.HTTPSProtocolType)
			*l.Hostname, l.TLS.CertificateRefs[0].Name = "x.com", "app-tls"
			in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, l)
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := baseInput()
			tc.mutate(in)
			var about []string
			for _, n := range plan.For(*in).Notes {
				if n.Reason != plan.ReasonSharedSecret || !strings.Contains(n.Message, "app-tls") {
					t.Errorf("note %+v, want only %s about app-tls", n, plan.ReasonSharedSecret)
				}
				about = append(about, n.Certificate.String())
			}
			if diff := cmp.Diff(tc.about, about); diff != "" {
				t.Errorf("noted of (-want +got):\n%s", diff)
			}
		})
	}
}

// The note stays the same while the cause does: it says so at each run, and the
// reports count it up.
func TestASharedSecretIsStillNotedWhenAllStands(t *testing.T) {
	in := settled(plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a.com", "b.com")}})
	if got := noted(plan.For(in)); !cmp.Equal(got, []plan.Reason{plan.ReasonSharedSecret}) {
		t.Errorf("notes = %v, want %s", got, plan.ReasonSharedSecret)
	}
}
