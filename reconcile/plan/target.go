package plan

import (
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Target returns the Gateway that a Certificate's labels name; false means the
// Certificate does not ask for one.
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
	// No object can be called what is no segment of a path.
	valid := len(content.IsPathSegmentName(gateway.Namespace)) == 0 && len(content.IsPathSegmentName(gateway.Name)) == 0
	return gateway, valid
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
