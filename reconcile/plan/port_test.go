package plan_test

import (
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
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
	for _, tc := range []struct {
		name   string
		mutate func(*gatewayv1.Gateway, *certmanagerv1.Certificate)
		told   []types.NamespacedName
	}{
		{"the Gateway's", func(g *gatewayv1.Gateway, _ *certmanagerv1.Certificate) {
			g.Annotations[plan.ListenerPortKey] = "84443"
		}, []types.NamespacedName{{}, named("infra", "app")}},
		{"the Certificate's", func(_ *gatewayv1.Gateway, c *certmanagerv1.Certificate) {
			c.Annotations = map[string]string{plan.ListenerPortKey: "443 "}
		}, []types.NamespacedName{named("infra", "app")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gateway, c := applied(baseGateway(), plansFor(baseGateway(), baseCertificate())), baseCertificate()
			tc.mutate(gateway, &c)
			c.Spec.DNSNames = append(c.Spec.DNSNames, "new.example.com")
			p := plansFor(gateway, c)
			if diff := cmp.Diff(map[string]string{"app.example.com": "auto-app-app-example-com"}, serving(p)); diff != "" {
				t.Errorf("hostnames served (-want +got):\n%s", diff)
			}
			var told []types.NamespacedName
			for _, f := range p.Rejections {
				if f.Reason == plan.ReasonInvalidPort {
					told = append(told, f.Certificate)
				}
			}
			if diff := cmp.Diff(tc.told, told); diff != "" {
				t.Errorf("told of %s (-want +got; empty is the Gateway's owner):\n%s", plan.ReasonInvalidPort, diff)
			}
		})
	}
}
