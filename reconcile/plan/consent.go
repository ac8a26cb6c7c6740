package plan

import (
	"fmt"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// consent is a Gateway owner's word on whose Certificates may attach.
type consent struct {
	gatewayNamespace string
	allNamespaces    bool
}

// consentOf reads it from the Gateway. What cannot be read allows no more than
// the default does, and is reported.
func consentOf(gateway *gatewayv1.Gateway) (consent, []Rejection) {
	c := consent{gatewayNamespace: gateway.Namespace}
	switch text := gateway.Annotations[CertificateNamespacesKey]; text {
	case "", certificateNamespacesSame:
	case certificateNamespacesAll:
		c.allNamespaces = true
	default:
		return c, []Rejection{{
			Reason: ReasonMalformedAnnotation,
			Message: fmt.Sprintf("annotation %s is %q, neither %s nor %s; %[3]s holds",
				CertificateNamespacesKey, text, certificateNamespacesSame, certificateNamespacesAll),
		}}
	}
	return c, nil
}

func (c consent) namespace(name string) bool {
	return c.allNamespaces || name == c.gatewayNamespace
}
