package plan

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Target returns the Gateway that a Certificate's labels name; false means the
// Certificate does not ask for one, or for one that cannot exist.
//
// A label value cannot hold a name of over 63 characters. The annotation of the
// same key is believed in its place only if it hashes to the label, so that the
// two cannot say different things.
func Target(certificate metav1.Object) (types.NamespacedName, bool) {
	label := certificate.GetLabels()[GatewayNameKey]
	if label == "" {
		return types.NamespacedName{}, false
	}
	gateway := types.NamespacedName{Namespace: certificate.GetLabels()[GatewayNamespaceKey], Name: label}
	if gateway.Namespace == "" {
		gateway.Namespace = certificate.GetNamespace()
	}
	if full := certificate.GetAnnotations()[GatewayNameKey]; full != "" && GatewayNameLabel(full) == label {
		gateway.Name = full
	}
	return gateway, canExist(gateway)
}

// canExist holds a Gateway's name to what the API server does: that of a namespace
// is a label by RFC 1123, and that of a custom resource a subdomain.
func canExist(gateway types.NamespacedName) bool {
	return len(validation.IsDNS1123Label(gateway.Namespace)) == 0 && len(validation.IsDNS1123Subdomain(gateway.Name)) == 0
}

// GatewayNameLabel returns the value of [GatewayNameKey] for a Gateway's name:
// the name itself up to 63 characters; beyond, its first 54 cut back to an
// alphanumeric, "-" and 8 hexadecimal digits of the SHA-256 of the full name.
func GatewayNameLabel(gatewayName string) string {
	if len(gatewayName) <= validation.LabelValueMaxLength {
		return gatewayName
	}
	return shorten(gatewayName, gatewayName)
}

// NameOf returns an object's namespace and name.
func NameOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
