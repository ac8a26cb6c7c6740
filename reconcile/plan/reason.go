package plan

// Reason is why people are told something, in UpperCamelCase as Kubernetes
// spells reasons.
type Reason string

// Why something that was asked for is not done.
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
	// ReasonHostnameNotAllowed: the hostname is outside what the Gateway or the
	// Certificate's Namespace allows.
	ReasonHostnameNotAllowed Reason = "HostnameNotAllowed"
	// ReasonRuleNotMet: a rule of the settings does not allow the listener, or
	// could not be judged.
	ReasonRuleNotMet Reason = "RuleNotMet"
	// ReasonHostnameTaken: another listener serves that hostname on that port.
	ReasonHostnameTaken Reason = "HostnameTaken"
	// ReasonPortConflict: a user-owned listener speaks another protocol on that
	// port, and ours would break it.
	ReasonPortConflict Reason = "PortConflict"
	// ReasonTooManyListeners: the Gateway carries as many listeners as it may.
	ReasonTooManyListeners Reason = "TooManyListeners"
	// ReasonCertificateNotReady: the Gateway takes Certificates that have been
	// Ready, and this one has not.
	ReasonCertificateNotReady Reason = "CertificateNotReady"
	// ReasonRefusedByServer: the API server, or a policy it asks, will not have
	// this listener. It is offered again when it or the Gateway's spec changes.
	ReasonRefusedByServer Reason = "RefusedByServer"
	// ReasonLastListenerKept: a listener whose Certificate is gone stays,
	// because a Gateway must have one.
	ReasonLastListenerKept Reason = "LastListenerKept"
	// ReasonMalformedAnnotation: an annotation cannot be read; the strictest
	// reading holds.
	ReasonMalformedAnnotation Reason = "MalformedAnnotation"
	// ReasonListenerConflicted: the Gateway's controller has found the listener in
	// conflict with another. Against one of the Gateway's owner it is taken off, and
	// offered again when that one, or its own port, changes; else it is only a note.
	ReasonListenerConflicted Reason = "ListenerConflicted"
	// ReasonPublishNotSupported: the Gateway wants its listeners published in a
	// way that this version cannot.
	ReasonPublishNotSupported Reason = "PublishNotSupported"
)

// What people should know of what is done, or left alone on purpose.
const (
	// ReasonMissingReferenceGrant: a Secret in another namespace is referred to,
	// and no ReferenceGrant there allows it.
	ReasonMissingReferenceGrant Reason = "MissingReferenceGrant"
	// ReasonSharedSecret: one Secret is behind several listeners.
	ReasonSharedSecret Reason = "SharedSecret"
	// ReasonCertManagerOverlap: cert-manager makes Certificates from this
	// Gateway's listeners, and has been told to leave ours out.
	ReasonCertManagerOverlap Reason = "CertManagerOverlap"
	// ReasonFromListener: cert-manager made the Certificate from a listener, so
	// no listener is made from it.
	ReasonFromListener Reason = "FromListener"
	// ReasonLedgerCorrected: the ledger did not agree with the listeners.
	ReasonLedgerCorrected Reason = "LedgerCorrected"
	// ReasonPaused: the Gateway's owner has paused it.
	ReasonPaused Reason = "Paused"
	// ReasonListenersAdded: listeners of ours have come, and touched no other.
	ReasonListenersAdded Reason = "ListenersAdded"
	// ReasonListenersChanged: listeners of ours have changed otherwise than by what
	// they serve.
	ReasonListenersChanged Reason = "ListenersChanged"
	// ReasonListenersDisrupted: what listeners of ours served is served no more.
	ReasonListenersDisrupted Reason = "ListenersDisrupted"
	// ReasonDryRun: what is planned for the Gateway is not written.
	ReasonDryRun Reason = "DryRun"
	// ReasonGatewayMissing: there is no such Gateway, or it is being deleted.
	ReasonGatewayMissing Reason = "GatewayMissing"
	// ReasonConflictingWriter: another writer takes our listeners off, or changes
	// them, again and again.
	ReasonConflictingWriter Reason = "ConflictingWriter"
	// ReasonListenerNotAccepted: the Gateway's controller says that the listener is
	// not Accepted.
	ReasonListenerNotAccepted Reason = "ListenerNotAccepted"
	// ReasonListenerRefsNotResolved: it says that the listener has not ResolvedRefs.
	ReasonListenerRefsNotResolved Reason = "ListenerRefsNotResolved"
	// ReasonListenerNotProgrammed: it says that the listener is not Programmed,
	// although nothing else of it fails.
	ReasonListenerNotProgrammed Reason = "ListenerNotProgrammed"
)
