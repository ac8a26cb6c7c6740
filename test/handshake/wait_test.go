package handshake

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

func TestAGatewayIsProgrammedWhenItsControllerSaysSoOfTheListener(t *testing.T) {
	programmed := []metav1.Condition{{Type: string(gatewayv1.ListenerConditionProgrammed), Status: metav1.ConditionTrue}}
	for name, tc := range map[string]struct {
		mutate func(*gatewayv1.Gateway)
		want   bool
	}{
		"of the listener":     {func(*gatewayv1.Gateway) {}, true},
		"of another":          {func(g *gatewayv1.Gateway) { g.Status.Listeners[0].Name = "http" }, false},
		"that it is not":      {func(g *gatewayv1.Gateway) { g.Status.Listeners[0].Conditions[0].Status = metav1.ConditionFalse }, false},
		"nothing of it":       {func(g *gatewayv1.Gateway) { g.Status.Listeners[0].Conditions = nil }, false},
		"of one that is gone": {func(g *gatewayv1.Gateway) { g.Spec.Listeners = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := &gatewayv1.Gateway{
				Spec: gatewayv1.GatewaySpec{Listeners: []gatewayv1.Listener{
					{Name: "http"}, {Name: "shop", Hostname: new(gatewayv1.Hostname("shop.example.com"))},
				}},
				Status: gatewayv1.GatewayStatus{Listeners: []gatewayv1.ListenerStatus{{Name: "shop", Conditions: append([]metav1.Condition(nil), programmed...)}}},
			}
			tc.mutate(gateway)
			j := Journey{Certificate: &certmanagerv1.Certificate{Spec: certmanagerv1.CertificateSpec{DNSNames: []string{"shop.example.com"}}}}
			if got := j.isProgrammed(gateway); got != tc.want {
				t.Errorf("isProgrammed = %v, want %v", got, tc.want)
			}
		})
	}
}
