package plan_test

import (
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

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
