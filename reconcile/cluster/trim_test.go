package cluster

import (
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What rules may look at has to be there still, and no more.
func TestACertificateIsCutToWhatPlansAndRulesLookAt(t *testing.T) {
	issuer := cmmeta.IssuerReference{Group: "cert-manager.io", Kind: "ClusterIssuer", Name: "ca"}
	kept := map[string]string{"team": "a", plan.AllowedRoutesKey: strings.Repeat("r", 2<<10), "long": strings.Repeat("l", 1<<10)}
	c := certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{
			Labels: map[string]string{"team": "a"},
			Annotations: map[string]string{
				"team": "a", plan.AllowedRoutesKey: kept[plan.AllowedRoutesKey], "long": kept["long"],
				"longer": kept["long"] + "l", corev1.LastAppliedConfigAnnotation: "{}",
			},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
		},
		Spec: certmanagerv1.CertificateSpec{SecretName: "s", DNSNames: []string{"a.com"}, IssuerRef: issuer, CommonName: "c"},
	}
	trim(&c)
	want := certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"team": "a"}, Annotations: kept},
		Spec:       certmanagerv1.CertificateSpec{SecretName: "s", DNSNames: []string{"a.com"}, IssuerRef: issuer},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// From these a plan tells whether it has been issued, and since when.
func TestOfACertificatesStatusTheRevisionAndTheReadyConditionAreLeft(t *testing.T) {
	since := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	ready := certmanagerv1.CertificateCondition{Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionTrue, LastTransitionTime: &since}
	told := ready
	told.Reason, told.Message, told.ObservedGeneration = "Ready", "m", 2
	c := certmanagerv1.Certificate{Status: certmanagerv1.CertificateStatus{
		Revision: new(3), NotAfter: &since,
		Conditions: []certmanagerv1.CertificateCondition{{Type: certmanagerv1.CertificateConditionIssuing, Status: cmmeta.ConditionTrue}, told},
	}}
	trim(&c)
	want := certmanagerv1.CertificateStatus{Revision: new(3), Conditions: []certmanagerv1.CertificateCondition{ready}}
	if diff := cmp.Diff(want, c.Status); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
