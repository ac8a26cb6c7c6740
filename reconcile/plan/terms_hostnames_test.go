package plan_test

import (
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestAllowedHostnamesOfAGateway(t *testing.T) {
	for _, tc := range []struct{ says, asked, want string }{
		{"app.example.com", "app.example.com b.example.com", "app.example.com"},
		{"app.example.com", "a.app.example.com", ""},
		{"app.example.com", "*.example.com", ""},
		{"*.example.com", "a.example.com", "a.example.com"},
		{"*.example.com", "a.b.c.example.com", "a.b.c.example.com"},
		{"*.example.com", "example.com", ""},
		{"*.example.com", "*.example.com", "*.example.com"},
		{"*.example.com", "*.a.example.com", "*.a.example.com"},
		{"*.a.example.com", "*.example.com", ""},
		{"*.example.com", "badexample.com", ""},
		{"*.example.com", "a.example.com.evil.org", ""},
		{"example.com, *.example.com", "example.com a.example.com", "a.example.com example.com"},
		{"a.com,b.com", "a.com b.com c.com", "a.com b.com"},
		{" a.com ,\tb.com\n", "a.com b.com", "a.com b.com"},
		{"APP.Example.COM.", "app.example.com", "app.example.com"},
		{"*.Example.com", "APP.EXAMPLE.COM", "app.example.com"},
		{"*.bücher.example", "www.bücher.example", "www.xn--bcher-kva.example"},
		{"BÜCHER.example", "xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"xn--bcher-kva.example", "bücher.example", "xn--bcher-kva.example"},
	} {
		t.Run(tc.says+" of "+tc.asked, func(t *testing.T) {
			in := baseInput()
			app(in).Spec.DNSNames = strings.Fields(tc.asked)
			annotate(in.Gateway, plan.AllowedHostnamesKey, tc.says)
			p := plan.For(*in)
			if got := attached(p); got != tc.want {
				t.Errorf("attached: %s, want %s", got, tc.want)
			}
			left := len(strings.Fields(tc.asked)) - len(strings.Fields(tc.want))
			if got := reasons(p); len(got) != left || left > 0 && got[0] != plan.ReasonHostnameNotAllowed {
				t.Errorf("reasons = %v, want %d times %s", got, left, plan.ReasonHostnameNotAllowed)
			}
		})
	}
}

func TestAHostnameMustBeAllowedByTheGatewayAndByTheNamespace(t *testing.T) {
	const asked = "a.com b.a.com b.com"
	for _, tc := range []struct{ gateway, tenant, want string }{
		{"", "", asked},
		{"a.com, *.a.com", "", "a.com b.a.com"},
		{"", "*.a.com, b.com", "b.a.com b.com"},
		{"a.com, *.a.com", "*.a.com, b.com", "b.a.com"},
		{"a.com", "b.com", ""},
	} {
		t.Run(tc.gateway+" and "+tc.tenant, func(t *testing.T) {
			in := baseInput()
			app(in).Spec.DNSNames = strings.Fields(asked)
			in.Gateway.Annotations = with(nil, plan.AllowedHostnamesKey, tc.gateway)
			in.Namespaces = map[string]metav1.ObjectMeta{
				"infra": {Name: "infra", Annotations: with(nil, plan.AllowedHostnamesKey, tc.tenant)},
			}
			if got := attached(plan.For(*in)); got != tc.want {
				t.Errorf("attached: %s, want %s", got, tc.want)
			}
		})
	}
}

func TestANamespacesHostnamesBindItsOwnCertificatesOnly(t *testing.T) {
	in := threeNamespaces()
	annotate(in.Gateway, plan.CertificateNamespacesKey, "All")
	bound := in.Namespaces["team-a"]
	annotate(&bound, plan.AllowedHostnamesKey, "elsewhere.com")
	in.Namespaces["team-a"] = bound
	if got := attached(plan.For(*in)); got != "b.com infra.com" {
		t.Errorf("attached: %s, want b.com infra.com", got)
	}
}

func TestANamespacesHostnamesThatCannotBeRead(t *testing.T) {
	for says, want := range map[string]string{
		"":               "",
		"*":              "",
		"a_b.com":        "",
		"a.com,":         "a.com",
		"10.0.0.1,a.com": "a.com",
	} {
		t.Run(says, func(t *testing.T) {
			in := baseInput()
			app(in).Spec.DNSNames = []string{"a.com", "b.com"}
			bound := metav1.ObjectMeta{Name: "infra"}
			annotate(&bound, plan.AllowedHostnamesKey, says)
			in.Namespaces = map[string]metav1.ObjectMeta{"infra": bound}
			p := plan.For(*in)
			if got := attached(p); got != want {
				t.Errorf("attached: %s, want %s", got, want)
			}
			if r := firstRejection(t, p); r.Reason != plan.ReasonMalformedAnnotation || r.Certificate != named("infra", "app") ||
				!strings.Contains(r.Message, "Namespace infra") {
				t.Errorf("first rejection = %+v, want %s that names infra/app and Namespace infra", r, plan.ReasonMalformedAnnotation)
			}
		})
	}
}

func TestAListenerGoesWhenItsHostnameIsNoLongerAllowed(t *testing.T) {
	in := baseInput()
	app(in).Spec.DNSNames = []string{"a.com", "b.com"}
	after := settled(*in)
	annotate(after.Gateway, plan.AllowedHostnamesKey, "b.com")
	want := []plan.Change{{Action: plan.Removed, Listener: "auto-app-a-com", Hostname: "a.com", Certificate: named("infra", "app")}}
	if diff := cmp.Diff(want, plan.For(after).Changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

func TestAForbiddenHostnameHoldsNoPlace(t *testing.T) {
	in := baseInput()
	annotate(in.Gateway, plan.CertificateNamespacesKey, "All")
	in.Certificates = []certmanagerv1.Certificate{certificate("team-a", "a", "x.com"), certificate("infra", "z", "x.com")}
	bound := metav1.ObjectMeta{Name: "team-a"}
	annotate(&bound, plan.AllowedHostnamesKey, "y.com")
	in.Namespaces = map[string]metav1.ObjectMeta{"team-a": bound, "infra": {Name: "infra"}}
	if got := serving(plan.For(*in))["x.com"]; got != "auto-z-x-com" {
		t.Errorf("x.com is served by %q, want the younger's auto-z-x-com", got)
	}
}
