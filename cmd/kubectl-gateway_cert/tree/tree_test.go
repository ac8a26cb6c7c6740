package tree_test

import (
	"strings"
	"testing"

	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/tree"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/golden"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

func named(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// grown has listeners of Certificates that are Ready, failing and gone, one of
// the Gateway's owner with a Secret of his, and a Certificate that gets none.
func grown() (*sample.Cluster, []types.NamespacedName) {
	c := sample.New()
	c.Edge.Spec.Listeners = append(c.Edge.Spec.Listeners, gatewayv1.Listener{
		Name: "mine", Port: 8443, Protocol: gatewayv1.HTTPSProtocolType,
		TLS: &gatewayv1.ListenerTLSConfig{CertificateRefs: []gatewayv1.SecretObjectReference{{Name: "mine-tls"}}},
	})
	c.Add(sample.Certificate(named("infra", "gone"), "gone.example.com"))
	c.Add(sample.Certificate(named("infra", "shop"), "shop.example.com"))
	c.Settle()
	c.Edge.Status.Conditions = []metav1.Condition{{Type: string(gatewayv1.GatewayConditionProgrammed), Status: metav1.ConditionTrue}}
	failing := &c.Certificates[2].Status
	failing.Revision = new(1)
	failing.Conditions[0].Status, failing.Conditions[0].Reason, failing.Conditions[0].Message = cmmeta.ConditionFalse, "Failed", "the issuer says no"
	c.Certificates[1] = sample.Certificate(named("team-b", "late"), "app.example.com")
	waiting := sample.Certificate(named("infra", "typo"), "typo.example.com")
	waiting.Labels[plan.GatewayNameKey] = "egde"
	c.Add(waiting)
	return c, []types.NamespacedName{sample.EdgeName, named("infra", "egde")}
}

func TestTheOutput(t *testing.T) {
	c, names := grown()
	r := tree.Of(c.View, names)
	for format, file := range map[screen.Format]string{screen.Table: "tree.txt", screen.Wide: "tree-wide.txt", screen.JSON: "tree.json", screen.YAML: "tree.yaml"} {
		var out strings.Builder
		if err := screen.Show(&out, r, format); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, file, out.String())
	}
}

func TestTheStatusOfAGateway(t *testing.T) {
	for want, mutate := range map[string]func(*sample.Cluster){
		"NotProgrammed": func(*sample.Cluster) {},
		"Paused":        func(c *sample.Cluster) { c.Annotate(plan.PausedKey, "true") },
		"Missing":       func(c *sample.Cluster) { c.Edge.DeletionTimestamp = &metav1.Time{} },
		"Hidden": func(c *sample.Cluster) {
			delete(c.Gateways, sample.EdgeName)
			c.Hidden = map[types.NamespacedName]bool{sample.EdgeName: true}
		},
	} {
		c := sample.New()
		mutate(c)
		if got := tree.Of(c.View, []types.NamespacedName{sample.EdgeName}).Gateways[0].Status; got != want {
			t.Errorf("the status is %s, want %s", got, want)
		}
	}
}

func TestASecretIsJudgedByItsCertificate(t *testing.T) {
	failed := func(c *sample.Cluster) { c.App.Status.Conditions[0].Status = cmmeta.ConditionFalse }
	for want, mutate := range map[tree.SecretState]func(*sample.Cluster){
		tree.Issued:       func(*sample.Cluster) {},
		tree.IssuedBefore: func(c *sample.Cluster) { failed(c); c.App.Status.Revision = new(2) },
		tree.NotIssued:    failed,
		tree.Unknown:      func(c *sample.Cluster) { c.Certificates, c.From = nil, map[string]bool{"infra": true} },
	} {
		c := sample.New()
		mutate(c)
		listener := tree.Of(c.View, []types.NamespacedName{sample.EdgeName}).Gateways[0].Listeners[1]
		if got := listener.Secrets[0]; got.State != want || got.Namespace != "team-a" || got.Name != "app-tls" {
			t.Errorf("the Secret is %+v, want team-a/app-tls %s", got, want)
		}
		if want == tree.Unknown && listener.Certificate.Status != "Hidden" {
			t.Errorf("the Certificate is %+v, want it hidden", listener.Certificate)
		}
	}
}
