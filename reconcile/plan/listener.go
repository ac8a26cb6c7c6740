package plan

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// listener returns a claim's listener under that name, with every field written
// out that the API server would fill in, so that what is read back is equal to
// what was written.
func (c claim) listener(name gatewayv1.SectionName, gatewayNamespace string) gatewayv1.Listener {
	return gatewayv1.Listener{
		Name:     name,
		Hostname: new(c.hostname),
		Port:     c.port,
		Protocol: gatewayv1.HTTPSProtocolType,
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode:            new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{c.certificateRef(gatewayNamespace)},
		},
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: c.routes.DeepCopy()},
	}
}

func (c claim) certificateRef(gatewayNamespace string) gatewayv1.SecretObjectReference {
	ref := gatewayv1.SecretObjectReference{
		Group: new(gatewayv1.Group(corev1.GroupName)),
		Kind:  new(gatewayv1.Kind("Secret")),
		Name:  gatewayv1.ObjectName(c.secretName),
	}
	if c.certificate.Namespace != gatewayNamespace {
		ref.Namespace = new(gatewayv1.Namespace(c.certificate.Namespace))
	}
	return ref
}

// routesOf lets one namespace's routes attach.
func routesOf(namespace string) *gatewayv1.RouteNamespaces {
	return &gatewayv1.RouteNamespaces{
		From:     new(gatewayv1.NamespacesFromSelector),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
	}
}
