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

func TestListenerOfACertificateBesideItsGatewayHasEveryFieldWrittenOut(t *testing.T) {
	p := plansFor(baseGateway(), baseCertificate())

	want := gatewayv1.Listener{
		Name: "auto-app-app-example-com", Hostname: new(gatewayv1.Hostname("app.example.com")),
		Port: 443, Protocol: gatewayv1.HTTPSProtocolType,
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode: new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{{
				Group: new(gatewayv1.Group("")), Kind: new(gatewayv1.Kind("Secret")), Name: "app-tls",
			}},
		},
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}},
	}
	if diff := cmp.Diff(want, p.Listeners[1]); diff != "" {
		t.Errorf("plan.For(edge, app).Listeners[1] (-want +got):\n%s", diff)
	}
}

func TestListenerOfATenantNamesItsNamespaceAndServesItsRoutesOnly(t *testing.T) {
	gateway := baseGateway()
	gateway.Annotations = map[string]string{plan.CertificateNamespacesKey: "All"}
	p := plansFor(gateway, certificate("team-a", "app", "app.example.com"))

	got := p.Listeners[1]
	if ns := got.TLS.CertificateRefs[0].Namespace; ns == nil || *ns != "team-a" {
		t.Errorf("certificateRef namespace = %v, want team-a", ns)
	}
	want := &gatewayv1.RouteNamespaces{
		From:     new(gatewayv1.NamespacesFromSelector),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "team-a"}},
	}
	if diff := cmp.Diff(want, got.AllowedRoutes.Namespaces); diff != "" {
		t.Errorf("allowedRoutes.namespaces (-want +got):\n%s", diff)
	}
}

// Each row says how the input differs from the base Gateway and Certificate,
// which hostnames are then served by us, and what is refused.
func TestHostnamesServedAndReasonsGiven(t *testing.T) {
	type input struct {
		gateway      *gatewayv1.Gateway
		certificates []certmanagerv1.Certificate
	}
	app := func(in *input) *certmanagerv1.Certificate { return &in.certificates[0] }
	for _, tc := range []struct {
		name   string
		mutate func(*input)
		served map[string]string
		why    []plan.Reason
	}{
		{
			name:   "as it is",
			mutate: func(*input) {},
			served: map[string]string{"app.example.com": "auto-app-app-example-com"},
		},
		{
			name:   "a wildcard is spelled out in the name",
			mutate: func(in *input) { app(in).Spec.DNSNames = []string{"*.example.com", "ok.example.com"} },
			served: map[string]string{
				"*.example.com":  "auto-app-wildcard-example-com",
				"ok.example.com": "auto-app-ok-example-com",
			},
		},
		{
			name:   "a name listed twice is served once",
			mutate: func(in *input) { app(in).Spec.DNSNames = []string{"a.example.com", "A.example.com."} },
			served: map[string]string{"a.example.com": "auto-app-a-example-com"},
		},
		{
			name:   "a bad name harms no other",
			mutate: func(in *input) { app(in).Spec.DNSNames = []string{"foo_bar.example.com", "ok.example.com"} },
			served: map[string]string{"ok.example.com": "auto-app-ok-example-com"},
			why:    []plan.Reason{plan.ReasonInvalidHostname},
		},
		{
			name:   "no dnsNames",
			mutate: func(in *input) { app(in).Spec = certmanagerv1.CertificateSpec{SecretName: "x", CommonName: "a.b"} },
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonNoDNSNames},
		},
		{
			name:   "no secretName",
			mutate: func(in *input) { app(in).Spec.SecretName = "" },
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonInvalidSecretName},
		},
		{
			name:   "a secretName that no Secret can have",
			mutate: func(in *input) { app(in).Spec.SecretName = strings.Repeat("a", 254) },
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonInvalidSecretName},
		},
		{
			name:   "a Certificate that is being deleted is gone",
			mutate: func(in *input) { app(in).DeletionTimestamp = &metav1.Time{Time: dayZero} },
			served: map[string]string{},
		},
		{
			name:   "a port that is none",
			mutate: func(in *input) { app(in).Annotations = map[string]string{plan.ListenerPortKey: "https"} },
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonInvalidPort},
		},
		{
			name: "the Gateway's port that is none refuses those that rely on it",
			mutate: func(in *input) {
				in.gateway.Annotations = map[string]string{plan.ListenerPortKey: "70000"}
				other := certificate("infra", "b", "b.example.com")
				other.Annotations = map[string]string{plan.ListenerPortKey: "8443"}
				in.certificates = append(in.certificates, other)
			},
			served: map[string]string{"b.example.com": "auto-b-b-example-com"},
			why:    []plan.Reason{plan.ReasonInvalidPort, plan.ReasonInvalidPort},
		},
		{
			name:   "a Certificate from another namespace needs the owner's consent",
			mutate: func(in *input) { app(in).Namespace = "attacker" },
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonNamespaceNotAllowed},
		},
		{
			name: "a consent that cannot be read allows nothing",
			mutate: func(in *input) {
				in.gateway.Annotations = map[string]string{plan.CertificateNamespacesKey: "all"}
				app(in).Namespace = "team-a"
			},
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonMalformedAnnotation, plan.ReasonNamespaceNotAllowed},
		},
		{
			name: "of two Certificates the older has the hostname",
			mutate: func(in *input) {
				in.certificates = append([]certmanagerv1.Certificate{certificate("infra", "z", "app.example.com")}, in.certificates...)
			},
			served: map[string]string{"app.example.com": "auto-app-app-example-com"},
			why:    []plan.Reason{plan.ReasonHostnameTaken},
		},
		{
			name: "a user-owned listener has its hostname, HTTPS",
			mutate: func(in *input) {
				in.gateway.Spec.Listeners = append(in.gateway.Spec.Listeners, userListener("mine", gatewayv1.HTTPSProtocolType))
			},
			served: map[string]string{"app.example.com": "mine"},
			why:    []plan.Reason{plan.ReasonHostnameTaken},
		},
		{
			name: "a user-owned listener has its hostname, TLS",
			mutate: func(in *input) {
				in.gateway.Spec.Listeners = append(in.gateway.Spec.Listeners, userListener("mine", gatewayv1.TLSProtocolType))
			},
			served: map[string]string{},
			why:    []plan.Reason{plan.ReasonHostnameTaken},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := &input{baseGateway(), []certmanagerv1.Certificate{baseCertificate()}}
			tc.mutate(in)
			p := plansFor(in.gateway, in.certificates...)
			if diff := cmp.Diff(tc.served, serving(p)); diff != "" {
				t.Errorf("hostnames served (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.why, reasons(p)); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func userListener(name gatewayv1.SectionName, protocol gatewayv1.ProtocolType) gatewayv1.Listener {
	return gatewayv1.Listener{
		Name: name, Port: 443, Protocol: protocol, Hostname: new(gatewayv1.Hostname("app.example.com")),
		TLS: &gatewayv1.ListenerTLSConfig{CertificateRefs: []gatewayv1.SecretObjectReference{{Name: "mine"}}},
	}
}

func TestPlanNamesWhatChanges(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(),
		certificate("infra", "a", "a.example.com"), certificate("infra", "b", "b.example.com")))
	moved := certificate("infra", "b", "b.example.com")
	moved.Spec.SecretName = "elsewhere"

	p := plansFor(gateway, moved, certificate("infra", "c", "c.example.com"))

	want := []plan.Change{
		{Action: plan.Removed, Listener: "auto-a-a-example-com", Hostname: "a.example.com", Certificate: named("infra", "a")},
		{Action: plan.Changed, Listener: "auto-b-b-example-com", Hostname: "b.example.com", Certificate: named("infra", "b"), Fields: []string{"tls.certificateRefs"}},
		{Action: plan.Added, Listener: "auto-c-c-example-com", Hostname: "c.example.com", Certificate: named("infra", "c")},
	}
	if diff := cmp.Diff(want, p.Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestWhatSomeoneChangesOnAListenerOfOursIsPutBack(t *testing.T) {
	written := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	for _, tc := range []struct {
		field  string
		mutate func(*gatewayv1.Listener)
	}{
		{"hostname", func(l *gatewayv1.Listener) { l.Hostname = new(gatewayv1.Hostname("other.example.com")) }},
		{"hostname", func(l *gatewayv1.Listener) { l.Hostname = nil }},
		{"port", func(l *gatewayv1.Listener) { l.Port = 444 }},
		{"protocol", func(l *gatewayv1.Listener) { l.Protocol = gatewayv1.TLSProtocolType }},
		{"tls.mode", func(l *gatewayv1.Listener) { l.TLS.Mode = new(gatewayv1.TLSModePassthrough) }},
		{"tls.certificateRefs", func(l *gatewayv1.Listener) {
			l.TLS.CertificateRefs = append(l.TLS.CertificateRefs, gatewayv1.SecretObjectReference{Name: "second"})
		}},
		{"tls.options", func(l *gatewayv1.Listener) {
			l.TLS.Options = map[gatewayv1.AnnotationKey]gatewayv1.AnnotationValue{"a": "b"}
		}},
		{"allowedRoutes.namespaces", func(l *gatewayv1.Listener) {
			l.AllowedRoutes.Namespaces.From = new(gatewayv1.NamespacesFromSame)
		}},
		{"allowedRoutes.kinds", func(l *gatewayv1.Listener) {
			l.AllowedRoutes.Kinds = []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}
		}},
	} {
		t.Run(tc.field, func(t *testing.T) {
			gateway := written.DeepCopy()
			tc.mutate(&gateway.Spec.Listeners[1])
			p := plansFor(gateway, baseCertificate())
			if diff := cmp.Diff(written.Spec.Listeners, p.Listeners); diff != "" {
				t.Errorf("listeners (-want +got):\n%s", diff)
			}
			if len(p.Changes) != 1 || !cmp.Equal(p.Changes[0].Fields, []string{tc.field}) {
				t.Errorf("changes = %+v, want one of field %s", p.Changes, tc.field)
			}
		})
	}
}

func TestARejectionSaysWhatWouldHelp(t *testing.T) {
	p := plansFor(baseGateway(), certificate("team-a", "app", "app.example.com"))
	if got := p.Rejections[0].Message; !strings.Contains(got, plan.CertificateNamespacesKey) || !strings.Contains(got, "team-a") {
		t.Errorf("message %q names neither the annotation nor the namespace", got)
	}
}

func namesOf(listeners []gatewayv1.Listener) []gatewayv1.SectionName {
	var names []gatewayv1.SectionName
	for _, l := range listeners {
		names = append(names, l.Name)
	}
	return names
}
