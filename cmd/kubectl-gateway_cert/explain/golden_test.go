package explain_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/golden"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

var formats = map[screen.Format]string{screen.Table: ".txt", screen.Wide: "-wide.txt", screen.JSON: ".json", screen.YAML: ".yaml"}

func check(t *testing.T, name string, r explain.Report) {
	t.Helper()
	for format, suffix := range formats {
		var out strings.Builder
		if err := screen.Show(&out, r, format); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, name+suffix, out.String())
	}
}

// One Certificate of which one name is served, two are outside what the Gateway
// takes, and one is another's.
func TestTheOutputForACertificate(t *testing.T) {
	s := sample.New()
	s.Annotate(plan.AllowedHostnamesKey, "*.example.com")
	s.Add(sample.Certificate(types.NamespacedName{Namespace: "infra", Name: "a"}, "taken.example.com"))
	s.Settle()
	s.App.Spec.DNSNames = append(s.App.Spec.DNSNames, "taken.example.com", "app.example.org")
	check(t, "certificate", explain.Certificate(s.View, s.App))
}

func TestTheOutputForAHostname(t *testing.T) {
	s := wildcards()
	s.Annotate(plan.CertificateNamespacesKey, "Same")
	check(t, "hostname", explain.Hostname(s.View, "app.example.com"))
}

func TestTheOutputForAListenerThatTheControllerDoesNotAccept(t *testing.T) {
	s := sample.New()
	s.Condition(gatewayv1.ListenerConditionAccepted, "False", "PortUnavailable", "port 443 is in use")
	check(t, "unaccepted", explain.Hostname(s.View, "app.example.com"))
}

func TestTheOutputWhereNobodyAsks(t *testing.T) {
	check(t, "nobody", explain.Hostname(sample.New().View, "nobody.example.com"))
}
