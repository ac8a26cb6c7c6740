package plan

import (
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Reason is why something that was asked for is not done.
type Reason string

// The reasons, in UpperCamelCase as Kubernetes spells reasons.
const (
	// ReasonNoDNSNames: the Certificate has no dnsNames. A commonName alone is
	// no use: clients look at subject alternative names only (RFC 9525).
	ReasonNoDNSNames Reason = "NoDNSNames"
	// ReasonInvalidHostname: a DNS name that cannot be a listener's hostname.
	ReasonInvalidHostname Reason = "InvalidHostname"
	// ReasonInvalidPort: a listener-port annotation that is no port.
	ReasonInvalidPort Reason = "InvalidPort"
	// ReasonInvalidSecretName: the Certificate names no Secret, or one that
	// cannot exist. cert-manager does not check the name.
	ReasonInvalidSecretName Reason = "InvalidSecretName"
	// ReasonNamespaceNotAllowed: the Gateway's owner has not let Certificates
	// of that namespace attach.
	ReasonNamespaceNotAllowed Reason = "NamespaceNotAllowed"
	// ReasonHostnameTaken: another listener serves that hostname on that port.
	ReasonHostnameTaken Reason = "HostnameTaken"
	// ReasonTooManyListeners: the Gateway carries as many listeners as it may.
	ReasonTooManyListeners Reason = "TooManyListeners"
	// ReasonLastListenerKept: a listener whose Certificate is gone stays,
	// because a Gateway must have one.
	ReasonLastListenerKept Reason = "LastListenerKept"
	// ReasonMalformedAnnotation: an annotation of the Gateway cannot be read;
	// the strictest reading holds.
	ReasonMalformedAnnotation Reason = "MalformedAnnotation"
)

// Rejection is one thing that was asked for and is not done.
type Rejection struct {
	Reason Reason
	// Certificate is whose wish it was; zero when it is the Gateway's own matter.
	Certificate types.NamespacedName
	// Hostname as the Certificate spells it; empty when it is about all of them.
	Hostname string
	// Listener is the listener concerned, where there is one.
	Listener gatewayv1.SectionName
	// Message says it to a person: what, why and what would help.
	Message string
}
