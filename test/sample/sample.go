// Package sample is a small cluster in memory, for tests of what people are shown.
package sample

import (
	"maps"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Names of what there is.
var (
	EdgeName = types.NamespacedName{Namespace: "infra", Name: "edge"}
	AppName  = types.NamespacedName{Namespace: "team-a", Name: "app"}
)

// Cluster is Gateway infra/edge, which takes Certificates of all namespaces, and
// Certificate team-a/app, whose hostname app.example.com it serves.
type Cluster struct {
	*view.View
	Edge *gatewayv1.Gateway
	App  *certmanagerv1.Certificate
}

// New makes it as the handler and the Gateway's controller leave it.
func New() *Cluster {
	c := &Cluster{
		View: &view.View{
			Gateways: map[types.NamespacedName]*gatewayv1.Gateway{},
			Namespaces: map[string]metav1.ObjectMeta{
				"infra": {Name: "infra"}, "team-a": {Name: "team-a"}, "team-b": {Name: "team-b"},
			},
			Grants: []gatewayv1.ReferenceGrant{},
			Told:   map[types.NamespacedName][]plan.Finding{},
		},
		Edge: &gatewayv1.Gateway{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: EdgeName.Namespace, Name: EdgeName.Name, Generation: 3,
				Annotations: map[string]string{plan.CertificateNamespacesKey: "All"},
			},
			Spec: gatewayv1.GatewaySpec{
				GatewayClassName: "example",
				Listeners:        []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}},
			},
		},
	}
	c.Gateways[EdgeName] = c.Edge
	c.Add(Certificate(AppName, "app.example.com"))
	c.Grant("team-a")
	c.Settle()
	return c
}

// Certificate is one for infra/edge that is Ready, younger the later its name is
// in the alphabet.
func Certificate(name types.NamespacedName, dnsNames ...string) certmanagerv1.Certificate {
	return certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: name.Namespace, Name: name.Name,
			CreationTimestamp: metav1.NewTime(time.Date(2026, 1, 1+int(name.Name[0]-'a'), 0, 0, 0, 0, time.UTC)),
			Labels:            map[string]string{plan.GatewayNameKey: EdgeName.Name, plan.GatewayNamespaceKey: EdgeName.Namespace},
		},
		Spec: certmanagerv1.CertificateSpec{SecretName: name.Name + "-tls", DNSNames: dnsNames},
		Status: certmanagerv1.CertificateStatus{
			NotAfter:   &metav1.Time{Time: time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)},
			Conditions: []certmanagerv1.CertificateCondition{{Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionTrue}},
		},
	}
}

// Add puts a Certificate in. The one added first is App.
func (c *Cluster) Add(certificate certmanagerv1.Certificate) {
	c.Certificates = append(c.Certificates, certificate)
	c.App = &c.Certificates[0]
}

// Grant lets Gateways of infra use each Secret of a namespace.
func (c *Cluster) Grant(namespace string) {
	c.Grants = append(c.Grants, gatewayv1.ReferenceGrant{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gateways"},
		Spec: gatewayv1.ReferenceGrantSpec{
			From: []gatewayv1.ReferenceGrantFrom{{Group: gatewayv1.GroupName, Kind: "Gateway", Namespace: "infra"}},
			To:   []gatewayv1.ReferenceGrantTo{{Kind: "Secret"}},
		},
	})
}

// Settle lets the handler do its work, and the Gateway's controller.
func (c *Cluster) Settle() {
	p := c.Plan(c.Edge)
	c.Edge.Spec.Listeners = p.Listeners
	empty := func(_, value string) bool { return value == "" }
	maps.Copy(c.Edge.Annotations, p.Annotations)
	maps.DeleteFunc(c.Edge.Annotations, empty)
	c.Edge.Labels = maps.Clone(p.Labels)
	maps.DeleteFunc(c.Edge.Labels, empty)
	c.Edge.Status.Listeners = nil
	for _, listener := range p.Listeners {
		c.Edge.Status.Listeners = append(c.Edge.Status.Listeners, gatewayv1.ListenerStatus{Name: listener.Name, Conditions: c.programmed()})
	}
}

func (c *Cluster) programmed() []metav1.Condition {
	var conditions []metav1.Condition
	for _, name := range []gatewayv1.ListenerConditionType{
		gatewayv1.ListenerConditionAccepted, gatewayv1.ListenerConditionResolvedRefs, gatewayv1.ListenerConditionProgrammed,
	} {
		conditions = append(conditions, metav1.Condition{Type: string(name), Status: metav1.ConditionTrue, ObservedGeneration: c.Edge.Generation})
	}
	return conditions
}

// Condition sets one of every listener's.
func (c *Cluster) Condition(name gatewayv1.ListenerConditionType, status metav1.ConditionStatus, reason, message string) {
	for i := range c.Edge.Status.Listeners {
		l := &c.Edge.Status.Listeners[i]
		l.Conditions = append([]metav1.Condition{{
			Type: string(name), Status: status, Reason: reason, Message: message, ObservedGeneration: c.Edge.Generation,
		}}, l.Conditions...)
	}
}

// Annotate sets an annotation of the Gateway.
func (c *Cluster) Annotate(key, value string) { c.Edge.Annotations[key] = value }

// Unwritten takes the handler's work back, as before its first look.
func (c *Cluster) Unwritten() {
	c.Edge.Spec.Listeners = c.Edge.Spec.Listeners[:1]
	delete(c.Edge.Annotations, plan.LedgerKey)
	c.Edge.Status.Listeners = nil
}
