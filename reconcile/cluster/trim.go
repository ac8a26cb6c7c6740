package cluster

import (
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// trim keeps of a Certificate what a plan depends on. An object may be 1.5 MB,
// and many are held at once.
func trim(c *certmanagerv1.Certificate) {
	trimMetadata(&c.ObjectMeta)
	names := c.Spec.DNSNames
	if len(names) > plan.MaxDNSNames+1 { // one more tells that there are too many
		names = slices.Clone(names[:plan.MaxDNSNames+1])
	}
	c.Spec = certmanagerv1.CertificateSpec{SecretName: c.Spec.SecretName, DNSNames: names, CommonName: c.Spec.CommonName}
	status := certmanagerv1.CertificateStatus{Revision: c.Status.Revision}
	for _, condition := range c.Status.Conditions {
		if condition.Type == certmanagerv1.CertificateConditionReady {
			status.Conditions = []certmanagerv1.CertificateCondition{{Type: condition.Type, Status: condition.Status}}
		}
	}
	c.Status = status
}

func trimMetadata(meta *metav1.ObjectMeta) {
	meta.ManagedFields = nil
	for key := range meta.Annotations {
		if !strings.HasPrefix(key, plan.KeyPrefix) {
			delete(meta.Annotations, key)
		}
	}
}
