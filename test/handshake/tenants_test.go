package handshake

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayv1beta1 "sigs.k8s.io/gateway-api/apis/v1beta1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// newTenants are the owner of a Gateway that takes Certificates of all namespaces,
// and two others who let it use their Secrets.
func newTenants(t *testing.T) (owner, first, second *scene) {
	t.Helper()
	owner, first, second = newTenant(t), newTenant(t), newTenant(t)
	owner.createEdge(map[string]string{plan.CertificateNamespacesKey: "All"})
	first.grant(owner.Name)
	second.grant(owner.Name)
	return owner, first, second
}

// grant lets Gateways of a namespace use the Secrets of this one.
func (s *scene) grant(gatewayNamespace string) {
	s.t.Helper()
	client, err := gatewayclient.NewForConfig(system.Config())
	must(s.t, err)
	_, err = client.GatewayV1beta1().ReferenceGrants(s.Name).Create(s.t.Context(), &gatewayv1beta1.ReferenceGrant{
		ObjectMeta: metav1.ObjectMeta{Name: "gateway"},
		Spec: gatewayv1beta1.ReferenceGrantSpec{
			From: []gatewayv1beta1.ReferenceGrantFrom{{Group: gatewayv1.GroupName, Kind: "Gateway", Namespace: gatewayv1.Namespace(gatewayNamespace)}},
			To:   []gatewayv1beta1.ReferenceGrantTo{{Kind: "Secret"}},
		},
	}, metav1.CreateOptions{})
	must(s.t, err)
}

// The second has a certificate for the hostname, because the CA asks nobody, and
// a route.
func TestATenantCannotTakeAnothersHostname(t *testing.T) {
	owner, first, second := newTenants(t)
	shop := owner.host("shop")
	first.createRoute(owner.Name, shop, "first.invalid")
	first.create(first.certificate("shop", owner.Name, shop))
	first.waitUntilIssued("shop")
	first.expectServed(shop, first.issued("shop-tls"), "first.invalid")

	second.createRoute(owner.Name, shop, "second.invalid")
	second.create(second.certificate("mine", owner.Name, shop))
	second.expectReason("mine", plan.ReasonHostnameTaken)
	second.waitUntilIssued("mine")
	second.expectNoRouteAccepted()
	first.expectServed(shop, first.issued("shop-tls"), "first.invalid")
}

func TestATenantGetsAHostnameThatAnotherGivesUp(t *testing.T) {
	owner, first, second := newTenants(t)
	shop := owner.host("shop")
	first.create(first.certificate("shop", owner.Name, shop))
	first.waitUntilIssued("shop")
	second.createRoute(owner.Name, shop, "second.invalid")
	second.create(second.certificate("mine", owner.Name, shop))
	second.expectReason("mine", plan.ReasonHostnameTaken)
	second.waitUntilIssued("mine")

	must(t, first.Certificates.Delete(t.Context(), "shop", metav1.DeleteOptions{}))
	second.expectServed(shop, second.issued("mine-tls"), "second.invalid")
}

// What docs/contract.md warns of: listeners part tenants' routes, but Traefik picks
// a certificate by the names in it, among all that are behind listeners.
func TestTraefikShowsACertificateForEveryNameInIt(t *testing.T) {
	owner, first, second := newTenants(t)
	shop, own := owner.host("shop"), owner.host("zoo")
	first.createRoute(owner.Name, shop, "first.invalid")
	first.create(first.certificate("shop", owner.Name, shop))
	first.waitUntilIssued("shop")
	first.expectServed(shop, first.issued("shop-tls"), "first.invalid")

	second.createRoute(owner.Name, own, "second.invalid")
	second.create(second.certificate("mine", owner.Name, own, shop))
	second.expectReason("mine", plan.ReasonHostnameTaken)
	second.waitUntilIssued("mine")
	second.expectServed(own, second.issued("mine-tls"), "second.invalid")
	first.expectServed(shop, second.issued("mine-tls"), "first.invalid")
}

func (s *scene) waitUntilIssued(name string) {
	s.t.Helper()
	eventually(s.t, func(ctx context.Context) error {
		certificate, err := s.Certificates.Get(ctx, name, metav1.GetOptions{})
		if err == nil && !isIssued(certificate) {
			return fmt.Errorf("Certificate %s is not Ready: %+v", name, certificate.Status.Conditions)
		}
		return err
	})
}

// expectReason waits for an Event on a Certificate.
func (s *scene) expectReason(certificate string, want plan.Reason) {
	s.t.Helper()
	core, err := kubernetes.NewForConfig(system.Config())
	must(s.t, err)
	eventually(s.t, func(ctx context.Context) error {
		events, err := core.EventsV1().Events(s.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if e.Regarding.Name == certificate && e.Reason == string(want) {
				return nil
			}
		}
		return fmt.Errorf("there is no Event %s on Certificate %s", want, certificate)
	})
}

// expectNoRouteAccepted waits until the Gateway's controller has said that it
// takes no route of the namespace.
func (s *scene) expectNoRouteAccepted() {
	s.t.Helper()
	client, err := gatewayclient.NewForConfig(system.Config())
	must(s.t, err)
	eventually(s.t, func(ctx context.Context) error {
		routes, err := client.GatewayV1().HTTPRoutes(s.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, route := range routes.Items {
			if len(route.Status.Parents) == 0 {
				return fmt.Errorf("nothing is said of route %s", route.Name)
			}
			for _, condition := range route.Status.Parents[0].Conditions {
				if condition.Type == string(gatewayv1.RouteConditionAccepted) && condition.Status != metav1.ConditionFalse {
					return fmt.Errorf("route %s is accepted: %s", route.Name, condition.Message)
				}
			}
		}
		return nil
	})
}
