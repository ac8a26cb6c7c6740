package explain_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

// wildcards is the cluster with *.example.com of a Certificate beside the Gateway,
// and a listener of the Gateway's owner that takes every hostname on port 8443.
func wildcards() *sample.Cluster {
	s := sample.New()
	s.Add(sample.Certificate(types.NamespacedName{Namespace: "infra", Name: "wild"}, "*.example.com"))
	s.Edge.Spec.Listeners = append(s.Edge.Spec.Listeners, gatewayv1.Listener{Name: "any", Port: 8443, Protocol: gatewayv1.TLSProtocolType})
	s.Settle()
	return s
}

func TestAHostnameIsExplainedByAllThatTakeIt(t *testing.T) {
	for _, tc := range []struct {
		hostname gatewayv1.Hostname
		answer   explain.Answer
		want     []string
	}{
		{"app.example.com", explain.Served, []string{
			"team-a/app app.example.com: ", "infra/wild *.example.com: ",
			"auto-app-app-example-com Serves", "auto-wild-wildcard-example-com Shadowed", "any Serves",
		}},
		{"other.example.com", explain.Served, []string{
			"infra/wild *.example.com: ", "auto-wild-wildcard-example-com Serves", "any Serves",
		}},
		{"*.example.com", explain.Served, []string{
			"infra/wild *.example.com: ", "auto-wild-wildcard-example-com Serves", "any Serves",
		}},
		{"example.com", explain.Served, []string{"any Serves"}},
	} {
		r := explain.Hostname(wildcards().View, tc.hostname)
		if diff := cmp.Diff(tc.want, summary(r)); diff != "" || r.Answer != tc.answer {
			t.Errorf("%s: %s, want %s (-want +got):\n%s", tc.hostname, r.Answer, tc.answer, diff)
		}
	}
}

func summary(r explain.Report) []string {
	var got []string
	for _, c := range r.Chains {
		got = append(got, fmt.Sprintf("%s %s: %s", c.Certificate, c.Hostname, c.FirstBroken))
	}
	for _, s := range r.Listeners {
		got = append(got, fmt.Sprintf("%s %s", s.Listener, s.State))
	}
	return got
}

// The Gateway API lets *.example.com take a.b.example.com; a TLS client does not.
func TestAWildcardIsNoUseToAHostnameTwoLabelsDeeper(t *testing.T) {
	s := sample.New()
	s.App.Spec.DNSNames = []string{"*.example.com"}
	s.Settle()
	r := explain.Hostname(s.View, "a.b.example.com")
	if r.Answer != explain.NotServed || r.Chains[0].FirstBroken != explain.StepHostname {
		t.Errorf("%s, broken at %q; want NotServed and Hostname", r.Answer, r.Chains[0].FirstBroken)
	}
}

func TestAHostnameThatNobodyAsksForIsNotServed(t *testing.T) {
	r := explain.Hostname(sample.New().View, "nobody.example.com")
	if r.Answer != explain.NotServed || len(r.Chains)+len(r.Listeners) != 0 {
		t.Errorf("report = %+v, want nothing and NotServed", r)
	}
}

// A chain may hold, and a closer listener that does not work have the requests.
func TestAChainWhoseListenerIsShadowedDoesNotServe(t *testing.T) {
	s := sample.New()
	s.App.Spec.DNSNames = []string{"*.example.com"}
	s.Edge.Spec.Listeners = append(s.Edge.Spec.Listeners, gatewayv1.Listener{
		Name: "mine", Port: 443, Protocol: gatewayv1.HTTPSProtocolType, Hostname: new(gatewayv1.Hostname("app.example.com")),
	})
	s.Settle()
	s.Condition(gatewayv1.ListenerConditionProgrammed, "True", "Programmed", "") // of all
	for i := range s.Edge.Status.Listeners {
		if s.Edge.Status.Listeners[i].Name == "mine" {
			s.Edge.Status.Listeners[i].Conditions = nil
		}
	}
	r := explain.Hostname(s.View, "app.example.com")
	if !r.Chains[0].Holds() || r.Answer != explain.NotServed {
		t.Errorf("%s, broken at %q; want NotServed by a chain that holds", r.Answer, r.Chains[0].FirstBroken)
	}
}

func TestAListenerThatIsAskedForNoMoreIsExplained(t *testing.T) {
	s := sample.New()
	s.App.Spec.DNSNames = []string{"new.example.com"}
	r := explain.Hostname(s.View, "app.example.com")
	if len(r.Chains) != 1 || r.Chains[0].FirstBroken != explain.StepCertificate || r.Chains[0].Links[0].Reason != "NotAsked" {
		t.Errorf("chains = %+v, want one broken at Certificate for NotAsked", r.Chains)
	}
}
