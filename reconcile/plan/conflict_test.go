package plan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestAUsersProtocolOnOurPort(t *testing.T) {
	for _, tc := range []struct {
		protocol  gatewayv1.ProtocolType
		conflicts bool
	}{
		{gatewayv1.HTTPProtocolType, true},
		{gatewayv1.TCPProtocolType, true},
		{gatewayv1.UDPProtocolType, false},
		{gatewayv1.TLSProtocolType, false},
		{gatewayv1.HTTPSProtocolType, false},
		{"example.com/own", false},
	} {
		t.Run(string(tc.protocol), func(t *testing.T) {
			in := baseInput()
			in.Gateway.Spec.Listeners[0] = gatewayv1.Listener{Name: "mine", Port: 443, Protocol: tc.protocol}
			p := plan.For(*in)
			if conflicts := attached(p) == ""; conflicts != tc.conflicts {
				t.Errorf("attached: %q, want it left out: %v", attached(p), tc.conflicts)
			}
			if tc.conflicts && (!cmp.Equal(reasons(p), []plan.Reason{plan.ReasonPortConflict}) || !strings.Contains(p.Rejections[0].Message, "mine")) {
				t.Errorf("rejections = %+v, want one %s that names mine", p.Rejections, plan.ReasonPortConflict)
			}
		})
	}
}

func TestAPlainListenerOfAUserOnAnotherPortIsNoConflict(t *testing.T) {
	in := baseInput()
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, gatewayv1.Listener{Name: "mine", Port: 8443, Protocol: gatewayv1.HTTPProtocolType})
	in.Certificates = append(in.Certificates, on8443(certificate("infra", "b", "b.com")))
	if got := attached(plan.For(*in)); got != "app.example.com" {
		t.Errorf("attached: %q, want app.example.com alone", got)
	}
}

func TestAUsersPlainListenerTakesThePortFromOurs(t *testing.T) {
	in := settled(*baseInput())
	in.Gateway.Spec.Listeners[0].Port = 443
	p := plan.For(in)
	if got := attached(p); got != "" {
		t.Errorf("attached: %q, want nothing", got)
	}
	in.Gateway.Spec.Listeners[0].Port = 80
	if got := attached(plan.For(in)); got != "app.example.com" {
		t.Errorf("when it is gone again, attached: %q, want app.example.com", got)
	}
}

// Ours would be HTTP only because somebody has changed it; that is healed.
func TestAPlainListenerOfOursIsNoConflict(t *testing.T) {
	in := baseInput()
	in.Certificates = append(in.Certificates, certificate("infra", "b", "b.com"))
	after := settled(*in)
	after.Gateway.Spec.Listeners[1].Protocol = gatewayv1.HTTPProtocolType
	if p := plan.For(after); len(p.Rejections) != 0 || attached(p) != "app.example.com b.com" {
		t.Errorf("attached: %q, rejections: %v; want both and none", attached(p), p.Rejections)
	}
}

func TestAUsersListenerWithoutAHostnameTakesNone(t *testing.T) {
	in := baseInput()
	in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, gatewayv1.Listener{Name: "mine", Port: 443, Protocol: gatewayv1.HTTPSProtocolType})
	if got := attached(plan.For(*in)); got != "app.example.com" {
		t.Errorf("attached: %q, want app.example.com", got)
	}
}
