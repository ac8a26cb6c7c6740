package cases

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestM01ACertificateThatCameFromAListenerIsIgnored(t *testing.T) {
	for _, owner := range []metav1.OwnerReference{
		{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: edge},
		{APIVersion: "gateway.networking.k8s.io/v1", Kind: "ListenerSet", Name: "more"},
		{APIVersion: "gateway.networking.x-k8s.io/v1alpha1", Kind: "XListenerSet", Name: "more"},
	} {
		t.Run(owner.Kind, func(t *testing.T) {
			s := newScene(t)
			owner.UID, owner.Controller = s.Gateway(edge).UID, new(true)
			o := s.unwritten(func() reconcile.Outcome {
				return s.change(app, func(c *certmanagerv1.Certificate) { c.OwnerReferences = []metav1.OwnerReference{owner} })
			})
			expectFindings(t, o, "FromListener app")
			s.expect()
			s.silent(s.certificate(app))
		})
	}
}

func TestM01ACertificateThatSomethingElseControlsIsNotIgnored(t *testing.T) {
	s := newScene(t)
	expectFindings(t, s.change(app, func(c *certmanagerv1.Certificate) {
		c.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: "networking.k8s.io/v1", Kind: "Ingress", Name: "app", UID: "1", Controller: new(true)},
			{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: edge, UID: "2"},
		}
	}))
	s.expect(appListener)
}

func TestM02CertManagerIsToldToLeaveOurListenersOut(t *testing.T) {
	const ignore = certmanagerv1.CertificateIgnoreTLSListeners
	for _, key := range []string{certmanagerv1.IngressClusterIssuerNameAnnotationKey, certmanagerv1.IngressIssuerNameAnnotationKey} {
		for _, stands := range []string{"", "http,other"} {
			t.Run(key+" beside "+stands, func(t *testing.T) {
				s := newScene(t)
				s.updateGateway(func(g *gatewayv1.Gateway) {
					g.Annotations[key] = "ca"
					if stands != "" {
						g.Annotations[ignore] = stands
					}
				})
				o := s.writtenOnce(func() reconcile.Outcome { return s.told(reconcile.Add, s.certificate(app)) })
				expectFindings(t, o, "CertManagerOverlap")
				want := "auto-app-app-example-com"
				if stands != "" {
					want = stands + "," + want
				}
				if got := s.Gateway(edge).Annotations[ignore]; got != want {
					t.Errorf("%s = %q, want %q", ignore, got, want)
				}
				s.expect(appListener)
				expectFindings(t, s.told(reconcile.Update, s.certificate(app)))
				if n := times(s.event(s.Gateway(edge), corev1.EventTypeNormal, plan.ReasonCertManagerOverlap, ignore)); n != 1 {
					t.Errorf("said %d times, want once", n)
				}

				s.writtenOnce(func() reconcile.Outcome { return s.remove(app) })
				s.expect()
				if got, there := s.Gateway(edge).Annotations[ignore]; got != stands || there != (stands != "") {
					t.Errorf("at the end %s = %q, there: %v; want %q", ignore, got, there, stands)
				}
				if n := times(s.event(s.Gateway(edge), corev1.EventTypeNormal, plan.ReasonCertManagerOverlap)); n != 1 {
					t.Errorf("at the end said %d times, want once", n)
				}
			})
		}
	}
}

// updateStatus is cert-manager's work.
func (s *scene) updateStatus(name string, mutate func(*certmanagerv1.CertificateStatus)) *certmanagerv1.Certificate {
	s.t.Helper()
	c := s.certificate(name)
	mutate(&c.Status)
	updated, err := s.Certificates.UpdateStatus(s.t.Context(), c, metav1.UpdateOptions{})
	must(s.t, err)
	return updated
}

// again is the Certificate's next event, of a status that says nothing new.
func (s *scene) again(name string) reconcile.Outcome {
	s.t.Helper()
	return s.told(reconcile.Update, s.updateStatus(name, func(status *certmanagerv1.CertificateStatus) {
		attempts := 1
		if status.FailedIssuanceAttempts != nil {
			attempts += *status.FailedIssuanceAttempts
		}
		status.FailedIssuanceAttempts = &attempts
	}))
}

func ready(status cmmeta.ConditionStatus) func(*certmanagerv1.CertificateStatus) {
	return func(s *certmanagerv1.CertificateStatus) {
		s.Conditions = []certmanagerv1.CertificateCondition{{Type: certmanagerv1.CertificateConditionReady, Status: status, Reason: "Test"}}
	}
}

func TestM03FiftyChangesOfStatusCauseNoPatch(t *testing.T) {
	s := newServedScene(t)
	s.unwritten(func() (o reconcile.Outcome) {
		before := s.certificate(app).ResourceVersion
		for i := range 50 {
			c := s.updateStatus(app, func(status *certmanagerv1.CertificateStatus) { status.FailedIssuanceAttempts = new(i) })
			if c.ResourceVersion == before {
				t.Fatal("the status did not change")
			}
			before = c.ResourceVersion
			o = s.told(reconcile.Update, c)
			expectFindings(t, o)
		}
		return o
	})
}

func TestM04ReadyAndNotReadyCauseNoPatch(t *testing.T) {
	s := newServedScene(t)
	for _, status := range []cmmeta.ConditionStatus{cmmeta.ConditionTrue, cmmeta.ConditionFalse, cmmeta.ConditionTrue} {
		expectFindings(t, s.unwritten(func() reconcile.Outcome { return s.told(reconcile.Update, s.updateStatus(app, ready(status))) }))
	}
	s.expect(appListener)
}

func TestM05TheListenerGoesWithItsCertificateThoughTheSecretStays(t *testing.T) {
	s := newServedScene(t)
	secrets := s.core.CoreV1().Secrets(s.Name)
	made, err := secrets.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "app-tls"}, Data: map[string][]byte{"tls.crt": []byte("x")},
	}, metav1.CreateOptions{})
	must(t, err)
	expectFindings(t, s.writtenOnce(func() reconcile.Outcome { return s.remove(app) }))
	s.expect()
	stays, err := secrets.Get(t.Context(), "app-tls", metav1.GetOptions{})
	must(t, err)
	if stays.ResourceVersion != made.ResourceVersion {
		t.Error("the Secret was written")
	}
}

func TestM06TheSameRefusalTenTimesIsOneEventCountedUp(t *testing.T) {
	s := newScene(t)
	expectFindings(t, s.ask(app, "bad_name.example.com"), "InvalidHostname app bad_name.example.com")
	for range 9 {
		expectFindings(t, s.again(app), "InvalidHostname app bad_name.example.com")
	}
	e := s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonInvalidHostname, "bad_name.example.com")
	if e.Series == nil || e.Series.Count != 10 {
		t.Errorf("series = %+v, want a count of 10", e.Series)
	}
	if n := len(s.events(s.certificate(app))); n != 1 {
		t.Errorf("%d Events, want 1", n)
	}
}

func TestM07AWildcardAndANameItCoversAreTwoListeners(t *testing.T) {
	s := newScene(t)
	expectFindings(t, s.ask(app, "*.x.com", "k.x.com"), "SharedSecret app")
	s.expect("auto-app-k-x-com k.x.com:443 app-tls", "auto-app-wildcard-x-com *.x.com:443 app-tls")
}
