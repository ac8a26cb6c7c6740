package plan_test

import (
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// dnsNames are h01.example.com and so on.
func dnsNames(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("h%02d.example.com", i+1))
	}
	return names
}

func TestMaxListenersBoundsOurs(t *testing.T) {
	for says, want := range map[string]int{"0": 0, "1": 1, "2": 2, "63": 63, "64": 63, "65": 63, "100000": 63} {
		t.Run(says, func(t *testing.T) {
			in := baseInput()
			app(in).Spec.DNSNames = dnsNames(70)
			annotate(in.Gateway, plan.MaxListenersKey, says)
			p := plan.For(*in)
			if got := len(p.Ledger); got != want {
				t.Errorf("%d listeners of ours, want %d", got, want)
			}
			if got := reasons(p); len(got) != 70-want || got[0] != plan.ReasonTooManyListeners {
				t.Errorf("reasons = %v, want %d times %s", got, 70-want, plan.ReasonTooManyListeners)
			}
		})
	}
}

func TestMaxListenersCountsNoneButOurs(t *testing.T) {
	in := baseInput()
	for port := gatewayv1.PortNumber(8001); port <= 8005; port++ {
		in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, gatewayv1.Listener{
			Name: gatewayv1.SectionName(fmt.Sprintf("http-%d", port)), Port: port, Protocol: gatewayv1.HTTPProtocolType,
		})
	}
	annotate(in.Gateway, plan.MaxListenersKey, "1")
	if got := attached(plan.For(*in)); got != "app.example.com" {
		t.Errorf("attached: %q, want app.example.com", got)
	}
}

// Two older Certificates come later than those that stand.
func TestMaxListenersBelowWhatStandsKeepsTheOldestHolders(t *testing.T) {
	in := baseInput()
	in.Certificates = []certmanagerv1.Certificate{
		certificate("infra", "x", "x.com"), certificate("infra", "y", "y.com"), certificate("infra", "z", "z.com"),
	}
	after := settled(*in)
	after.Certificates = append(after.Certificates, certificate("infra", "a", "a.com"), certificate("infra", "b", "b.com"))
	annotate(after.Gateway, plan.MaxListenersKey, "2")
	if got := attached(plan.For(after)); got != "x.com y.com" {
		t.Errorf("attached: %s, want x.com y.com", got)
	}
}

func TestACertificateThatTheCapLeftOutComesWhenThereIsRoom(t *testing.T) {
	in := baseInput()
	in.Certificates = []certmanagerv1.Certificate{certificate("infra", "a", "a.com"), certificate("infra", "b", "b.com")}
	annotate(in.Gateway, plan.MaxListenersKey, "1")
	after := settled(*in)
	after.Certificates = after.Certificates[1:]
	if got := attached(plan.For(after)); got != "b.com" {
		t.Errorf("attached: %q, want b.com", got)
	}
}

// What stands is as it was, also where the Certificate has changed since.
func TestAGatewayThatTakesNothingNewKeepsWhatStands(t *testing.T) {
	for _, tc := range []struct {
		key, says string
		why       plan.Reason
	}{
		{plan.PublishKey, "ListenerSet", plan.ReasonPublishNotSupported},
		{plan.PublishKey, "gateway", plan.ReasonPublishNotSupported},
		{plan.PublishKey, "", plan.ReasonPublishNotSupported},
		{plan.MaxListenersKey, "many", plan.ReasonMalformedAnnotation},
		{plan.MaxListenersKey, "", plan.ReasonMalformedAnnotation},
		{plan.MaxListenersKey, "-1", plan.ReasonMalformedAnnotation},
	} {
		t.Run(fmt.Sprintf("%s %q", tc.key, tc.says), func(t *testing.T) {
			closed := settled(*baseInput())
			annotate(closed.Gateway, tc.key, tc.says)
			app(&closed).Spec.SecretName = "renewed"
			closed.Certificates = append(closed.Certificates, certificate("infra", "b", "b.com"))
			p := plan.For(closed)
			if got := attached(p); got != "app.example.com" {
				t.Errorf("attached: %s, want app.example.com alone", got)
			}
			if got := p.Listeners[1].TLS.CertificateRefs[0].Name; got != "renewed" {
				t.Errorf("the listener that stands refers to %s, want its Certificate's Secret still, renewed", got)
			}
			if diff := cmp.Diff([]plan.Reason{tc.why, tc.why}, reasons(p)); diff != "" {
				t.Errorf("reasons, the Gateway's and infra/b's (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAGatewayThatTakesNothingNewTakesBackWhatSomeoneTookOff(t *testing.T) {
	closed := settled(*baseInput())
	annotate(closed.Gateway, plan.PublishKey, "ListenerSet")
	closed.Gateway.Spec.Listeners = closed.Gateway.Spec.Listeners[:1]
	if got := attached(plan.For(closed)); got != "app.example.com" {
		t.Errorf("attached: %q, want app.example.com", got)
	}
}

func TestAGatewayThatTakesNothingNewLetsGoWhatNobodyAsksFor(t *testing.T) {
	closed := settled(*baseInput())
	annotate(closed.Gateway, plan.PublishKey, "ListenerSet")
	closed.Certificates = nil
	if got := attached(plan.For(closed)); got != "" {
		t.Errorf("attached: %s, want nothing", got)
	}
}

func TestPublishGatewayIsTheDefault(t *testing.T) {
	in := baseInput()
	annotate(in.Gateway, plan.PublishKey, "Gateway")
	if diff := cmp.Diff(plan.For(*baseInput()), plan.For(*in)); diff != "" {
		t.Errorf("plan (-without +with the annotation):\n%s", diff)
	}
}
