package cases

import (
	"context"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// tenant makes another namespace, with a Certificate for edge.
func (s *scene) tenant(name string, dnsNames ...string) (*namespace.Namespace, *certmanagerv1.Certificate) {
	s.t.Helper()
	elsewhere := namespace.New(s.t, plane.Config())
	return elsewhere, elsewhere.CreateLabelled(name, map[string]string{plan.GatewayNameKey: edge, plan.GatewayNamespaceKey: s.Name}, dnsNames...)
}

func TestL11OfTwoForOneHostnameTheOlderWinsAndTheYoungerTakesOverWhenItGoes(t *testing.T) {
	s := newScene(t)
	time.Sleep(1100 * time.Millisecond) // creation times are whole seconds
	younger := s.CreateCertificate("aaa", edge, "app.example.com")
	taken := "HostnameTaken aaa app.example.com"

	expectFindings(t, s.told(reconcile.Add, younger), taken)
	s.expect(appListener)
	s.event(younger, corev1.EventTypeWarning, plan.ReasonHostnameTaken, "app.example.com", s.Name+"/app")

	expectFindings(t, s.unwritten(func() reconcile.Outcome {
		return s.change("aaa", func(c *certmanagerv1.Certificate) { c.Spec.SecretName = "other-tls" })
	}), taken)
	s.expect(appListener)

	expectFindings(t, s.writtenOnce(func() reconcile.Outcome { return s.remove(app) }))
	s.expect("auto-aaa-app-example-com app.example.com:443 other-tls")

	expectFindings(t, s.unwritten(func() reconcile.Outcome { return s.add(app, "app.example.com") }), "HostnameTaken app app.example.com")
	s.expect("auto-aaa-app-example-com app.example.com:443 other-tls")
}

func TestL11WhoHasTheHostnameKeepsItFromAnOlderNewcomer(t *testing.T) {
	s := newScene(t)
	time.Sleep(1100 * time.Millisecond)
	s.ask(app, "other.example.com")
	s.add("aaa", "app.example.com")
	o := s.unwritten(func() reconcile.Outcome { return s.ask(app, "other.example.com", "app.example.com") })
	expectFindings(t, o, "HostnameTaken app app.example.com")
}

func TestL14ACertificateOfAnotherNamespaceNeedsTheGatewayOwnersLeave(t *testing.T) {
	s := newServedScene(t)
	attacker, attack := s.tenant("attack", "bank.example.com")
	o := s.unwritten(func() reconcile.Outcome { return s.told(reconcile.Add, attack) })
	expectFindings(t, o, "NamespaceNotAllowed attack")
	s.expect(appListener)
	s.event(attack, corev1.EventTypeWarning, plan.ReasonNamespaceNotAllowed, s.Name+"/edge", attacker.Name, plan.CertificateNamespacesKey)

	s.updateGateway(annotate(plan.CertificateNamespacesKey, "All"))
	expectFindings(t, s.writtenOnce(s.look), "MissingReferenceGrant attack")
	s.expect(appListener, "auto-attack-bank-example-com bank.example.com:443 "+attacker.Name+"/attack-tls")

	s.updateGateway(annotate(plan.CertificateNamespacesKey, "Same"))
	expectFindings(t, s.writtenOnce(s.look), "NamespaceNotAllowed attack")
	s.expect(appListener)
}

func TestL15ATenantsCertificateIsAttachedWithAWarningUntilThereIsAGrant(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.CertificateNamespacesKey, "All"))
	team, shop := s.tenant("shop", "shop.example.com", "www.example.com")

	o := s.writtenOnce(func() reconcile.Outcome { return s.told(reconcile.Add, shop) })
	expectFindings(t, o, "MissingReferenceGrant shop", "SharedSecret shop")
	s.expect(appListener,
		"auto-shop-shop-example-com shop.example.com:443 "+team.Name+"/shop-tls",
		"auto-shop-www-example-com www.example.com:443 "+team.Name+"/shop-tls")
	s.event(shop, corev1.EventTypeWarning, plan.ReasonMissingReferenceGrant, "ReferenceGrant", team.Name, s.Name, "shop-tls")
	routes := s.Gateway(edge).Spec.Listeners[2].AllowedRoutes.Namespaces
	if *routes.From != gatewayv1.NamespacesFromSelector || routes.Selector.MatchLabels[corev1.LabelMetadataName] != team.Name {
		t.Errorf("routes of %+v may attach, want those of %s only", routes, team.Name)
	}
	for _, name := range []string{s.Name, team.Name} {
		grants, err := s.gatewayAPI.ReferenceGrants(name).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		if len(grants.Items) != 0 {
			t.Errorf("namespace %s has a grant that nobody made: %+v", name, grants.Items)
		}
	}
	_, err := s.gatewayAPI.ReferenceGrants(team.Name).Create(t.Context(), &gatewayv1.ReferenceGrant{
		ObjectMeta: metav1.ObjectMeta{Name: "edge"},
		Spec: gatewayv1.ReferenceGrantSpec{
			From: []gatewayv1.ReferenceGrantFrom{{Group: gatewayv1.GroupName, Kind: "Gateway", Namespace: gatewayv1.Namespace(s.Name)}},
			To:   []gatewayv1.ReferenceGrantTo{{Kind: "Secret", Name: new(gatewayv1.ObjectName("shop-tls"))}},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	// The LIST may be from just before: only a warning depends on it.
	_ = wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 5*time.Second, true, func(context.Context) (bool, error) {
		o = s.unwritten(func() reconcile.Outcome { return s.look() })
		return len(o.Findings()) == 1, nil
	})
	expectFindings(t, o, "SharedSecret shop")
}
