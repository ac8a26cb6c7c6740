package reconcile

import (
	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// audience is who is told of a reason by a Kubernetes Event, and how.
type audience struct {
	// certificate and gateway are the objects that the Event is about.
	certificate, gateway bool
	// whoseItIs leaves the Gateway out where the finding is about a Certificate.
	whoseItIs bool
	// eventType is the Event's: Warning where somebody has to act.
	eventType string
	// onWrite restricts it to runs that have written the Gateway: news, not a
	// standing state of affairs.
	onWrite bool
}

// audiences is the one table of who is told what; docs/contract.md shows it. A
// reason that is not in it goes to logs and spans alone.
var audiences = map[plan.Reason]audience{
	plan.ReasonNoDNSNames:            {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonInvalidHostname:       {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonInvalidPort:           {certificate: true, gateway: true, whoseItIs: true, eventType: corev1.EventTypeWarning},
	plan.ReasonInvalidSecretName:     {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonNamespaceNotAllowed:   {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonHostnameNotAllowed:    {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonRuleNotMet:            {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonHostnameTaken:         {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonPortConflict:          {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonTooManyListeners:      {certificate: true, gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonCertificateNotReady:   {certificate: true, eventType: corev1.EventTypeNormal},
	plan.ReasonRefusedByServer:       {certificate: true, gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonLastListenerKept:      {gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonMalformedAnnotation:   {certificate: true, gateway: true, whoseItIs: true, eventType: corev1.EventTypeWarning},
	plan.ReasonPublishNotSupported:   {certificate: true, gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonMissingReferenceGrant: {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonGatewayMissing:        {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonConflictingWriter:     {gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonSharedSecret:          {certificate: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonCertManagerOverlap:    {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonLedgerCorrected:       {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
}
