package cases

import (
	"fmt"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// What follows are tenants who mean harm, or do it by accident: whatever they
// write into their own objects, the others are served, and soon.

// serves handles the Certificate's event and holds it to end with
// app.example.com served, within the one run that an event gets.
func (s *scene) serves(c *certmanagerv1.Certificate) reconcile.Outcome {
	s.t.Helper()
	o := s.told(reconcile.Add, c)
	for _, l := range s.Gateway(edge).Spec.Listeners {
		if l.Hostname != nil && *l.Hostname == "app.example.com" {
			return o
		}
	}
	s.t.Errorf("app.example.com is not served; findings %.500v", o.Findings())
	return o
}

func hosts(n int, suffix string) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("h%d%s", i, suffix)
	}
	return names
}

func TestASelectorAsLargeAsAnAnnotationMayBeHarmsNobody(t *testing.T) {
	s := newEmptyScene(t)
	s.createEdge(nil)
	s.CreateCertificate("evil", edge, hosts(16, ".evil.com")...)
	s.updateCertificate("evil", func(c *certmanagerv1.Certificate) {
		values := hosts(3500, strings.Repeat("x", 55))
		c.Annotations = map[string]string{plan.AllowedRoutesKey: "Selector: k in (" + strings.Join(values, ",") + ")"}
	})
	s.serves(s.CreateCertificate(app, edge, "app.example.com"))
}

func TestThreeHundredHostnamesThatAPolicyRefusesHarmNobody(t *testing.T) {
	for name, older := range map[string]bool{"of a younger Certificate": false, "of an older one": true} {
		t.Run(name, func(t *testing.T) {
			s := newEmptyScene(t)
			s.createEdge(nil)
			s.forbid()
			var c *certmanagerv1.Certificate
			if !older {
				c = s.CreateCertificate(app, edge, "app.example.com")
				s.nextSecond(c)
			}
			evil := s.CreateCertificate("evil", edge, hosts(300, forbidden)...)
			if older {
				s.nextSecond(evil)
				c = s.CreateCertificate(app, edge, "app.example.com")
			}
			s.serves(c)
			s.unwritten(s.look)
		})
	}
}

// nextSecond waits for what is made next to be younger: ages are in seconds.
func (s *scene) nextSecond(object metav1.Object) {
	s.t.Helper()
	time.Sleep(time.Until(object.GetCreationTimestamp().Add(1100 * time.Millisecond)))
}

func TestLargeCertificatesOfNamespacesThatMayNotAttachAreNotRead(t *testing.T) {
	s := newEmptyScene(t)
	s.createEdge(nil)
	stranger := namespace.New(t, plane.Config())
	labels := map[string]string{plan.GatewayNameKey: edge, plan.GatewayNamespaceKey: s.Name}
	for i := range 40 { // 40 MB in all
		stranger.CreateLabelled(fmt.Sprintf("c%d", i), labels, hosts(16_000, strings.Repeat("x", 45)+".example.com")...)
	}
	o := s.serves(s.CreateCertificate(app, edge, "app.example.com"))
	if n := len(o.Findings()); n != 40 {
		t.Errorf("%d findings, want one for each Certificate that may not attach", n)
	}
}

func TestACertificateOfThousandsOfHostnamesHarmsNobody(t *testing.T) {
	s := newEmptyScene(t)
	s.createEdge(nil)
	c := s.CreateCertificate(app, edge, "app.example.com")
	s.nextSecond(c)
	s.CreateCertificate("evil", edge, hosts(16_000, "_bad.example.com")...)
	o := s.serves(c)
	if n := len(o.Findings()); n > plan.MaxDNSNames+10 {
		t.Errorf("%d findings", n)
	}
}

func TestATenantAddsOneEventAboutTheGatewayWhateverHeAsksFor(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.MaxListenersKey, "1"))
	s.ask(app, "app.example.com")
	s.add("tenant", "t.example.com")
	for i := range 10 {
		s.ask("tenant", fmt.Sprintf("t%d.example.com", i))
	}
	if n := len(s.complaints(s.Gateway(edge))); n != 1 {
		t.Errorf("%d Events about the Gateway, want 1", n)
	}
}

func TestALookAtAGatewayThatIsFullWritesNoEvent(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.MaxListenersKey, "1"))
	s.ask(app, "app.example.com", "b.example.com")
	before := s.events(s.Gateway(edge))
	if n := len(s.complaints(s.Gateway(edge))); n != 1 {
		t.Errorf("%d Events about the Gateway, want 1", n)
	}
	for range 5 {
		s.look()
	}
	if diff := cmp.Diff(before, s.events(s.Gateway(edge))); diff != "" {
		t.Errorf("Events about the Gateway (-before +after):\n%s", diff)
	}
}
