package cases

import (
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestACertificateIsToldThatItsGatewayIsMissingAndTheGatewaysComingCompletesIt(t *testing.T) {
	s := newEmptyScene(t)
	c := s.CreateCertificate(app, edge, "app.example.com")
	o := s.told(reconcile.Add, c)
	if o.Verdict != reconcile.GatewayMissing {
		t.Errorf("verdict %s, want GatewayMissing", o.Verdict)
	}
	expectFindings(t, o, "GatewayMissing app")
	s.event(c, corev1.EventTypeWarning, plan.ReasonGatewayMissing, s.Name+"/edge")

	s.createEdge(nil)
	expectFindings(t, s.writtenOnce(func() reconcile.Outcome { return s.handle(s.gatewayChange(reconcile.Add)) }))
	s.expect(appListener)

	must(t, s.Gateways.Delete(t.Context(), edge, metav1.DeleteOptions{}))
	expectFindings(t, s.again(app), "GatewayMissing app")
	if n := times(s.event(c, corev1.EventTypeWarning, plan.ReasonGatewayMissing)); n != 2 {
		t.Errorf("said %d times, want 2", n)
	}
	s.createEdge(nil)
	expectFindings(t, s.handle(s.gatewayChange(reconcile.Add)))
	s.expect(appListener)
}

// Else a process that has looked at Certificates before may be answered from
// before the Certificate came, and has nobody to tell.
func TestWhoWaitsForAMissingGatewayIsAskedForNotOlderThanTheEvent(t *testing.T) {
	s := newEmptyScene(t)
	for i := range 2 {
		c := s.CreateCertificate(fmt.Sprintf("c%d", i), "egde", "app.example.com")
		o := s.told(reconcile.Add, c)
		if o.Verdict != reconcile.GatewayMissing {
			t.Errorf("verdict %s, want GatewayMissing", o.Verdict)
		}
		if asked := *s.cluster.askedFor.Load(); asked != c.ResourceVersion {
			t.Errorf("Certificates were asked for not older than %q, want %q, the event's", asked, c.ResourceVersion)
		}
	}
}

func TestAGatewaysComingCompletesTheCertificateThatWasPointedAtIt(t *testing.T) {
	s := newServedScene(t)
	c := s.updateCertificate(app, func(c *certmanagerv1.Certificate) { c.Labels[plan.GatewayNameKey] = "egde" })
	outcomes, err := s.reconciler.Handle(t.Context(), reconcile.Change{
		Kind: reconcile.Certificate, Operation: reconcile.Update, Object: &metav1.PartialObjectMetadata{ObjectMeta: c.ObjectMeta},
	})
	must(t, err)
	if len(outcomes) != 2 || outcomes[0].Verdict != reconcile.Patched || outcomes[1].Verdict != reconcile.GatewayMissing {
		t.Errorf("outcomes = %+v, want edge patched and egde missing", outcomes)
	}
	s.expect()
	s.event(c, corev1.EventTypeWarning, plan.ReasonGatewayMissing, s.Name+"/egde")
}
