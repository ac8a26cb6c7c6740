package rules_test

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// candidate is *.example.com of a tenant on port 8443.
func candidate() plan.Candidate {
	return plan.Candidate{
		Hostname: "*.example.com",
		Port:     8443,
		Certificate: &certmanagerv1.Certificate{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "team-a", Name: "wild",
				Labels: map[string]string{"team": "a"}, Annotations: map[string]string{"example.com/owner": "b"},
			},
			Spec: certmanagerv1.CertificateSpec{
				DNSNames: []string{"*.Example.com", "example.com"}, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
			},
		},
		Gateway: &gatewayv1.Gateway{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "infra", Name: "edge", Labels: map[string]string{"tier": "public"}, Annotations: map[string]string{"note": "n"},
			},
			Spec: gatewayv1.GatewaySpec{GatewayClassName: "example"},
		},
	}
}

func compiled(t testing.TB, expression string) config.Condition {
	t.Helper()
	condition, err := rules.Compile(expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return condition
}
