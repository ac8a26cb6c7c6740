package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const app = "auto-app-app-example-com app.example.com app-tls"

func TestListenersFollowTheirCertificate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*place)
		want   []string
	}{
		{"it is created", func(*place) {}, []string{app}},
		{
			"its dnsNames change",
			func(p *place) {
				p.patchCertificate("app", `{"spec":{"dnsNames":["app.example.com","*.app.example.com"]}}`)
			},
			[]string{app, "auto-app-wildcard-app-example-com *.app.example.com app-tls"},
		},
		{
			"a DNS name goes",
			func(p *place) { p.patchCertificate("app", `{"spec":{"dnsNames":["www.example.com"]}}`) },
			[]string{"auto-app-www-example-com www.example.com app-tls"},
		},
		{
			"its secretName changes",
			func(p *place) { p.patchCertificate("app", `{"spec":{"secretName":"other"}}`) },
			[]string{"auto-app-app-example-com app.example.com other"},
		},
		{
			"it is deleted while another stays",
			func(p *place) {
				p.CreateCertificate("second", "edge", "second.example.com")
				p.expect("edge", app, "auto-second-second-example-com second.example.com second-tls")
				p.deleteCertificate("app")
			},
			[]string{"auto-second-second-example-com second.example.com second-tls"},
		},
		{"D4, it is deleted and was the last", func(p *place) { p.deleteCertificate("app") }, nil},
		{
			"its label is taken off",
			func(p *place) {
				p.patchCertificate("app", `{"metadata":{"labels":{"gateway-cert-operator.io/gateway-name":null}}}`)
			},
			nil,
		},
		{
			"its label is taken off and put back",
			func(p *place) {
				p.patchCertificate("app", `{"metadata":{"labels":{"gateway-cert-operator.io/gateway-name":null}}}`)
				p.expect("edge")
				p.patchCertificate("app", `{"metadata":{"labels":{"gateway-cert-operator.io/gateway-name":"edge"}}}`)
			},
			[]string{app},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newServed(t)
			tc.change(p)
			p.expect("edge", tc.want...)
		})
	}
}

func TestACertificatePointedElsewhereLeavesOneGatewayForTheOther(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	p.createGateway("other")
	p.patchCertificate("app", `{"metadata":{"labels":{"gateway-cert-operator.io/gateway-name":"other"}}}`)
	p.expect("other", app)
	p.expect("edge")
}

func TestD03AGatewayMadeAfterItsCertificateGetsTheListener(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.CreateCertificate("app", "edge", "app.example.com")
	p.createGateway("edge")
	p.expect("edge", app)
}

func TestAGatewayMadeAnewGetsItsListenersBack(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	must(t, p.Gateways.Delete(t.Context(), "edge", metav1.DeleteOptions{}))
	p.createGateway("edge")
	p.expect("edge", app)
}

func TestListenersThatAnotherWriterWipesComeBack(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	gateway := p.Gateway("edge")
	gateway.Spec.Listeners = gateway.Spec.Listeners[:1]
	_, err := p.Gateways.Update(t.Context(), gateway, metav1.UpdateOptions{FieldManager: "somebody"})
	must(t, err)
	p.expect("edge", app)
}
