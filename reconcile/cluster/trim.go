package cluster

import (
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// trim keeps of a Certificate what a plan depends on. An object may be 1.5 MB,
// and many are held at once.
func trim(c *certmanagerv1.Certificate) {
	trimMetadata(&c.ObjectMeta)
	names := c.Spec.DNSNames[:min(len(c.Spec.DNSNames), plan.MaxDNSNames+1)] // one more tells that there are too many
	c.Spec = certmanagerv1.CertificateSpec{
		SecretName: cutTo(c.Spec.SecretName, maxTrimmed), DNSNames: make([]string, len(names)), IssuerRef: trimIssuer(c.Spec.IssuerRef),
	}
	for i, name := range names {
		c.Spec.DNSNames[i] = cutTo(name, maxTrimmed)
	}
	status := certmanagerv1.CertificateStatus{Revision: c.Status.Revision}
	for _, condition := range c.Status.Conditions {
		if condition.Type == certmanagerv1.CertificateConditionReady {
			status.Conditions = []certmanagerv1.CertificateCondition{
				{Type: condition.Type, Status: condition.Status, LastTransitionTime: condition.LastTransitionTime},
			}
		}
	}
	c.Status = status
}

// trimIssuer cuts what only a rule reads.
func trimIssuer(ref cmmeta.IssuerReference) cmmeta.IssuerReference {
	return cmmeta.IssuerReference{Group: cutTo(ref.Group, maxTrimmed), Kind: cutTo(ref.Kind, maxTrimmed), Name: cutTo(ref.Name, maxTrimmed)}
}

func trimMetadata(meta *metav1.ObjectMeta) {
	meta.ManagedFields, meta.Finalizers = nil, nil
	meta.OwnerReferences = slices.DeleteFunc(meta.OwnerReferences, func(ref metav1.OwnerReference) bool {
		return ref.Controller == nil || !*ref.Controller
	})
	for key, value := range meta.Annotations {
		switch {
		case contractKeys[key]:
			meta.Annotations[key] = cutTo(value, maxTrimmedAnnotation)
		case !plan.SeenByRules(key, value):
			delete(meta.Annotations, key)
		}
	}
}

const (
	// maxTrimmed is above the 253 characters of a hostname or a Secret's name, so
	// that what is cut is still too long to be one.
	maxTrimmed = 512
	// maxTrimmedAnnotation is above what a plan reads of an annotation: 256
	// hostnames of 253 characters.
	maxTrimmedAnnotation = 80 << 10
)

var contractKeys = map[string]bool{
	plan.GatewayNameKey: true, plan.ListenerPortKey: true, plan.AllowedRoutesKey: true, plan.AllowedHostnamesKey: true,
}

// cutTo does not keep the rest in memory, as a slice of the text would.
func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.Clone(text[:most])
}
