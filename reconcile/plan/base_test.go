package plan_test

import (
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// dayZero is when the base Certificate was made.
var dayZero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// baseGateway is infra/edge with one user-owned listener.
func baseGateway() *gatewayv1.Gateway {
	return &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "edge"},
		Spec: gatewayv1.GatewaySpec{
			GatewayClassName: "example",
			Listeners:        []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}},
		},
	}
}

// certificate is one labelled for infra/edge, a day younger with each letter
// that its name starts with.
func certificate(namespace, name string, dnsNames ...string) certmanagerv1.Certificate {
	return certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         namespace,
			Name:              name,
			CreationTimestamp: metav1.NewTime(dayZero.AddDate(0, 0, int(name[0]-'a'))),
			Labels:            map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "infra"},
		},
		Spec: certmanagerv1.CertificateSpec{SecretName: name + "-tls", DNSNames: dnsNames},
	}
}

func baseCertificate() certmanagerv1.Certificate {
	return certificate("infra", "app", "app.example.com")
}

// applied returns the Gateway as it stands after the plan has been written.
func applied(gateway *gatewayv1.Gateway, p plan.Plan) *gatewayv1.Gateway {
	after := gateway.DeepCopy()
	after.Spec.Listeners = p.Listeners
	after.Annotations = with(after.Annotations, plan.LedgerKey, p.Ledger.String())
	managed := ""
	if len(p.Ledger) > 0 {
		managed = plan.ManagedValue
	}
	after.Labels = with(after.Labels, plan.ManagedKey, managed)
	return after.DeepCopy()
}

func with(entries map[string]string, key, value string) map[string]string {
	if entries == nil {
		entries = map[string]string{}
	}
	entries[key] = value
	if value == "" {
		delete(entries, key)
	}
	return entries
}

// serving maps each hostname on an HTTPS listener to the listener's name.
func serving(p plan.Plan) map[string]string {
	names := map[string]string{}
	for _, l := range p.Listeners {
		if l.Protocol == gatewayv1.HTTPSProtocolType && l.Hostname != nil {
			names[string(*l.Hostname)] = string(l.Name)
		}
	}
	return names
}

func reasons(p plan.Plan) []plan.Reason {
	var all []plan.Reason
	for _, r := range p.Rejections {
		all = append(all, r.Reason)
	}
	return all
}

func plansFor(gateway *gatewayv1.Gateway, certificates ...certmanagerv1.Certificate) plan.Plan {
	return plan.For(gateway, certificates)
}
