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
	// once is for what a controller says of a listener: it is told when it is said
	// for the first time, and not while it stands.
	once bool
}

// audiences is the one table of who is told what; docs/contract.md shows it. A
// reason that is not in it goes to logs and spans alone.
var audiences = map[plan.Reason]audience{
	plan.ReasonNoDNSNames:              {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonInvalidHostname:         {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonInvalidPort:             {certificate: true, gateway: true, whoseItIs: true, eventType: corev1.EventTypeWarning},
	plan.ReasonInvalidSecretName:       {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonNamespaceNotAllowed:     {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonHostnameNotAllowed:      {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonRuleNotMet:              {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonHostnameTaken:           {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonPortConflict:            {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonTooManyListeners:        {certificate: true, gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonCertificateNotReady:     {certificate: true, eventType: corev1.EventTypeNormal},
	plan.ReasonRefusedByServer:         {certificate: true, gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonLastListenerKept:        {gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonMalformedAnnotation:     {certificate: true, gateway: true, whoseItIs: true, eventType: corev1.EventTypeWarning},
	plan.ReasonPublishNotSupported:     {certificate: true, gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonMissingReferenceGrant:   {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonListenerConflicted:      {certificate: true, eventType: corev1.EventTypeWarning, once: true},
	plan.ReasonListenerNotAccepted:     {certificate: true, eventType: corev1.EventTypeWarning, once: true},
	plan.ReasonListenerRefsNotResolved: {certificate: true, eventType: corev1.EventTypeWarning, once: true},
	plan.ReasonListenerNotProgrammed:   {certificate: true, eventType: corev1.EventTypeWarning, once: true},
	plan.ReasonGatewayMissing:          {certificate: true, eventType: corev1.EventTypeWarning},
	plan.ReasonConflictingWriter:       {gateway: true, eventType: corev1.EventTypeWarning},
	plan.ReasonDryRun:                  {gateway: true, eventType: corev1.EventTypeNormal},
	plan.ReasonSharedSecret:            {certificate: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonCertManagerOverlap:      {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonListenersAdded:          {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonListenersChanged:        {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonListenersDisrupted:      {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
	plan.ReasonLedgerCorrected:         {gateway: true, eventType: corev1.EventTypeNormal, onWrite: true},
}
