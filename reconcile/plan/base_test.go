package plan_test

import (
	"slices"
	"strings"
	"testing"
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
	for key, value := range p.Annotations {
		after.Annotations = with(after.Annotations, key, value)
	}
	for key, value := range p.Labels {
		after.Labels = with(after.Labels, key, value)
	}
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

// noted returns the reasons of the plan's notes.
func noted(p plan.Plan) []plan.Reason {
	var all []plan.Reason
	for _, n := range p.Notes {
		all = append(all, n.Reason)
	}
	return all
}

func firstRejection(t *testing.T, p plan.Plan) plan.Finding {
	t.Helper()
	if len(p.Rejections) == 0 {
		t.Fatalf("no rejections; changes = %+v, notes = %+v", p.Changes, p.Notes)
	}
	return p.Rejections[0]
}

// baseInput is the base Gateway and the base Certificate.
func baseInput() *plan.Input {
	return &plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{baseCertificate()}}
}

// app is the first Certificate of an input.
func app(in *plan.Input) *certmanagerv1.Certificate { return &in.Certificates[0] }

// annotate sets an annotation, also to nothing.
func annotate(object metav1.Object, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

// settled is the input once its plan has been written; the API server's word on
// that write is spoken.
func settled(in plan.Input) plan.Input {
	in.Gateway = applied(in.Gateway, plan.For(in))
	in.Refused = nil
	return in
}

// attached returns the hostnames of our listeners, in their order, with spaces
// between them.
func attached(p plan.Plan) string {
	var hostnames []string
	for _, l := range p.Listeners {
		if _, ours := p.Ledger[l.Name]; ours && l.Hostname != nil {
			hostnames = append(hostnames, string(*l.Hostname))
		}
	}
	slices.Sort(hostnames)
	return strings.Join(hostnames, " ")
}

func plansFor(gateway *gatewayv1.Gateway, certificates ...certmanagerv1.Certificate) plan.Plan {
	return plan.For(plan.Input{Gateway: gateway, Certificates: certificates})
}
