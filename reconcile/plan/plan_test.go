package plan_test

import (
	"fmt"
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
			why:    []plan.Reason{plan.ReasonInvalidPort},
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
			p := plan.For(in.gateway, in.certificates)
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

func TestTwoCertificatesMayHaveOneHostnameOnTwoPorts(t *testing.T) {
	p := plansFor(baseGateway(), baseCertificate(), on8443(certificate("infra", "z", "app.example.com")))
	want := []gatewayv1.SectionName{"http", "auto-app-app-example-com", "auto-z-app-example-com"}
	if got := namesOf(p.Listeners); !cmp.Equal(got, want) {
		t.Errorf("listeners = %v, want %v", got, want)
	}
}

func TestPortIsTheCertificatesWordThenTheGatewaysThen443(t *testing.T) {
	for _, tc := range []struct {
		certificate, gateway string
		want                 gatewayv1.PortNumber
	}{
		{"", "", 443}, {"", "8443", 8443}, {"9443", "8443", 9443}, {"1", "", 1}, {"65535", "", 65535},
	} {
		t.Run(fmt.Sprintf("certificate %q, gateway %q", tc.certificate, tc.gateway), func(t *testing.T) {
			gateway, c := baseGateway(), baseCertificate()
			gateway.Annotations = with(nil, plan.ListenerPortKey, tc.gateway)
			c.Annotations = with(nil, plan.ListenerPortKey, tc.certificate)
			p := plansFor(gateway, c)
			if got := p.Listeners[1].Port; got != tc.want {
				t.Errorf("port = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestAGatewayCarriesAtMost64ListenersAndTheSameOnesEachTime(t *testing.T) {
	var dnsNames []string
	for i := range 70 {
		dnsNames = append(dnsNames, fmt.Sprintf("h%02d.example.com", i+1))
	}
	p := plansFor(baseGateway(), certificate("infra", "app", dnsNames...))

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
	if diff := cmp.Diff(dnsNames[63:], left); diff != "" {
		t.Errorf("hostnames left out (-want +got):\n%s", diff)
	}
	again := plansFor(applied(baseGateway(), p), certificate("infra", "app", dnsNames...))
	if !again.Unchanged() {
		t.Errorf("the second plan changes %v, want nothing", again.Changes)
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

func TestUserOwnedListenersKeepTheirPlaceAndContent(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	mine := gatewayv1.Listener{Name: "auto-mine", Port: 8080, Protocol: gatewayv1.HTTPProtocolType}
	gateway.Spec.Listeners = append([]gatewayv1.Listener{mine}, gateway.Spec.Listeners...)

	p := plansFor(gateway, certificate("infra", "b", "b.example.com"))

	want := []gatewayv1.SectionName{"auto-mine", "http", "auto-b-b-example-com"}
	if got := namesOf(p.Listeners); !cmp.Equal(got, want) {
		t.Errorf("listeners = %v, want %v", got, want)
	}
	if diff := cmp.Diff(mine, p.Listeners[0]); diff != "" {
		t.Errorf("auto-mine (-want +got):\n%s", diff)
	}
}

func TestTheLastListenerStaysUntilThereIsAnother(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	gateway.Spec.Listeners = gateway.Spec.Listeners[1:]

	kept := plansFor(gateway)
	if got := namesOf(kept.Listeners); !cmp.Equal(got, []gatewayv1.SectionName{"auto-app-app-example-com"}) {
		t.Errorf("without any Certificate: listeners %v, want the last one kept", got)
	}
	if got := reasons(kept); !cmp.Equal(got, []plan.Reason{plan.ReasonLastListenerKept}) {
		t.Errorf("reasons = %v, want %s", got, plan.ReasonLastListenerKept)
	}
	if !kept.Unchanged() {
		t.Errorf("keeping it is a change: %+v", kept)
	}
	freed := plansFor(gateway, certificate("infra", "b", "b.example.com"))
	if got := namesOf(freed.Listeners); !cmp.Equal(got, []gatewayv1.SectionName{"auto-b-b-example-com"}) {
		t.Errorf("with another Certificate: listeners %v, want only the new one", got)
	}
}

func TestTheHolderOfAHostnameKeepsItFromAnOlderCertificate(t *testing.T) {
	younger, older := certificate("infra", "z", "app.example.com"), certificate("infra", "a", "app.example.com")
	gateway := applied(baseGateway(), plansFor(baseGateway(), younger))

	if got := serving(plansFor(gateway, older, younger))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("both there: served by %s, want the holder's auto-z-app-example-com", got)
	}
	if got := serving(plansFor(gateway, older))["app.example.com"]; got != "auto-a-app-example-com" {
		t.Errorf("the holder gone: served by %s, want auto-a-app-example-com", got)
	}
}

func TestListenersWipedByAnotherWriterComeBackUnderTheirNames(t *testing.T) {
	certificates := []certmanagerv1.Certificate{
		certificate("infra", "a", "a-b.com"), certificate("infra", "a", "a.b.com", "a-b.com"),
	}
	first := applied(baseGateway(), plansFor(baseGateway(), certificates[0]))
	both := plansFor(first, certificates[1])
	wiped := applied(first, both)
	wiped.Spec.Listeners = baseGateway().Spec.Listeners

	if diff := cmp.Diff(serving(both), serving(plansFor(wiped, certificates[1]))); diff != "" {
		t.Errorf("names after the wipe (-before +after):\n%s", diff)
	}
}

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

func TestAUsersListenerThatLooksLikeOursStaysTheirs(t *testing.T) {
	ours := plansFor(baseGateway(), baseCertificate()).Listeners[1]
	for _, tc := range []struct {
		name   string
		mutate func(*gatewayv1.Gateway)
	}{
		{"but for its port", func(g *gatewayv1.Gateway) { g.Spec.Listeners[1].Port = 8443 }},
		{"but for its routes", func(g *gatewayv1.Gateway) {
			g.Spec.Listeners[1].AllowedRoutes = &gatewayv1.AllowedRoutes{Kinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}}
		}},
		{"wholly, beside a ledger that does not name it", func(g *gatewayv1.Gateway) {
			g.Annotations = map[string]string{plan.LedgerKey: `{"auto-other-other-example-com":"infra/other"}`}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gateway := baseGateway()
			gateway.Spec.Listeners = append(gateway.Spec.Listeners, *ours.DeepCopy())
			tc.mutate(gateway)
			p := plansFor(gateway, baseCertificate())
			if diff := cmp.Diff(gateway.Spec.Listeners, p.Listeners[:2]); diff != "" {
				t.Errorf("the owner's listeners (-before +after):\n%s", diff)
			}
			if _, taken := p.Ledger[ours.Name]; taken {
				t.Errorf("the ledger %s names it", p.Ledger)
			}
		})
	}
}

func TestAPortThatCannotBeReadLeavesWhatStands(t *testing.T) {
	for name, mutate := range map[string]func(*gatewayv1.Gateway, *certmanagerv1.Certificate){
		"the Gateway's": func(g *gatewayv1.Gateway, _ *certmanagerv1.Certificate) {
			g.Annotations[plan.ListenerPortKey] = "84443"
		},
		"the Certificate's": func(_ *gatewayv1.Gateway, c *certmanagerv1.Certificate) {
			c.Annotations = map[string]string{plan.ListenerPortKey: "443 "}
		},
	} {
		t.Run(name, func(t *testing.T) {
			gateway, c := applied(baseGateway(), plansFor(baseGateway(), baseCertificate())), baseCertificate()
			mutate(gateway, &c)
			c.Spec.DNSNames = append(c.Spec.DNSNames, "new.example.com")
			p := plansFor(gateway, c)
			if diff := cmp.Diff(map[string]string{"app.example.com": "auto-app-app-example-com"}, serving(p)); diff != "" {
				t.Errorf("hostnames served (-want +got):\n%s", diff)
			}
			if got := reasons(p); !cmp.Equal(got, []plan.Reason{plan.ReasonInvalidPort}) {
				t.Errorf("reasons = %v, want %s", got, plan.ReasonInvalidPort)
			}
		})
	}
}

func TestAWipeHandsNoHostnameToARival(t *testing.T) {
	holder := certificate("infra", "z", "a-b.com")
	gateway := applied(baseGateway(), plansFor(baseGateway(), holder))
	// Older than the holder, and its two names spell alike.
	older := certificate("infra", "a", "a.b.com", "a-b.com")
	before := plansFor(gateway, older, holder)
	wiped := applied(gateway, before)
	wiped.Spec.Listeners = baseGateway().Spec.Listeners
	if diff := cmp.Diff(serving(before), serving(plansFor(wiped, older, holder))); diff != "" {
		t.Errorf("hostnames served (-before the wipe +after):\n%s", diff)
	}
}

func TestOfTwoListenersForOneWishTheFirstIsKept(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	double := *gateway.Spec.Listeners[1].DeepCopy()
	double.Name, double.Port = "auto-app-double", 8443
	gateway.Spec.Listeners = append(gateway.Spec.Listeners, double)
	gateway.Annotations[plan.LedgerKey] = `{"auto-app-app-example-com":"infra/app","auto-app-double":"infra/app"}`
	want := []gatewayv1.SectionName{"http", "auto-app-app-example-com"}
	if got := namesOf(plansFor(gateway, baseCertificate()).Listeners); !cmp.Equal(got, want) {
		t.Errorf("listeners = %v, want %v", got, want)
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
