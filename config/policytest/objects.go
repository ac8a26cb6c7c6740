package policytest

import (
	"cmp"
	"maps"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What is taken for granted where a test does not say it.
const (
	defaultNamespace = metav1.NamespaceDefault
	defaultName      = "gateway"
)

// madeAt is when the first Certificate was made; each other, a second later.
var madeAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// input is what the planner is asked.
func (t Test) input(defaults plan.Defaults) plan.Input {
	in := plan.Input{Gateway: t.gateway(), Namespaces: map[string]metav1.ObjectMeta{}, Defaults: defaults}
	for i := range t.Certificates {
		certificate := completed(&t.Certificates[i], in.Gateway)
		if certificate.CreationTimestamp.IsZero() {
			certificate.CreationTimestamp = metav1.NewTime(madeAt.Add(time.Duration(i) * time.Second))
		}
		if target, ok := plan.Target(certificate); ok && target == plan.NameOf(in.Gateway) {
			in.Certificates = append(in.Certificates, *certificate)
		}
		in.Namespaces[certificate.Namespace] = t.namespace(certificate.Namespace)
	}
	return in
}

func (t Test) gateway() *gatewayv1.Gateway {
	gateway := t.Gateway.DeepCopy()
	gateway.Namespace = cmp.Or(gateway.Namespace, defaultNamespace)
	gateway.Name = cmp.Or(gateway.Name, defaultName)
	return gateway
}

func (t Test) namespace(name string) metav1.ObjectMeta {
	said := t.Namespaces[name]
	labels := map[string]string{corev1.LabelMetadataName: name}
	maps.Copy(labels, said.Labels)
	return metav1.ObjectMeta{Name: name, Labels: labels, Annotations: said.Annotations}
}

// completed returns a Certificate with what a test need not say, but for its age.
func completed(short *certmanagerv1.Certificate, gateway *gatewayv1.Gateway) *certmanagerv1.Certificate {
	certificate := short.DeepCopy()
	certificate.Namespace = cmp.Or(certificate.Namespace, gateway.Namespace)
	certificate.Spec.SecretName = cmp.Or(certificate.Spec.SecretName, certificate.Name+"-tls")
	if _, named := certificate.Labels[plan.GatewayNameKey]; !named {
		label(certificate, gateway)
	}
	if len(certificate.Status.Conditions) == 0 && certificate.Status.Revision == nil {
		certificate.Status.Conditions = []certmanagerv1.CertificateCondition{{
			Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionTrue,
		}}
	}
	return certificate
}

// label has the Certificate name the Gateway, as docs/contract.md says.
func label(certificate *certmanagerv1.Certificate, gateway *gatewayv1.Gateway) {
	name := plan.GatewayNameLabel(gateway.Name)
	metav1.SetMetaDataLabel(&certificate.ObjectMeta, plan.GatewayNameKey, name)
	metav1.SetMetaDataLabel(&certificate.ObjectMeta, plan.GatewayNamespaceKey, gateway.Namespace)
	if name != gateway.Name {
		metav1.SetMetaDataAnnotation(&certificate.ObjectMeta, plan.GatewayNameKey, gateway.Name)
	}
}
