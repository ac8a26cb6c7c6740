package explain

// Step names a link of the chain from label to status.
type Step string

// The steps, in the order in which they are taken.
const (
	// StepCertificate: there is a Certificate that asks for the hostname.
	StepCertificate Step = "Certificate"
	// StepLabel: its labels name a Gateway.
	StepLabel Step = "Label"
	// StepGateway: there is such a Gateway.
	StepGateway Step = "Gateway"
	// StepNotPaused: the Gateway's owner has not paused it.
	StepNotPaused Step = "NotPaused"
	// StepNotDryRun: what is planned for the Gateway is written, too.
	StepNotDryRun Step = "NotDryRun"
	// StepOrigin: the Certificate was not made from a listener in the first place.
	StepOrigin Step = "Origin"
	// StepAnnotations: the annotations that bear on it can be read.
	StepAnnotations Step = "Annotations"
	// StepNamespace: the Gateway's owner lets Certificates of the namespace attach.
	StepNamespace Step = "Namespace"
	// StepSecretName: the Certificate names a Secret of its own.
	StepSecretName Step = "SecretName"
	// StepHostname: the DNS name can be a listener's hostname.
	StepHostname Step = "Hostname"
	// StepAllowedHostname: Gateway and Namespace allow it.
	StepAllowedHostname Step = "AllowedHostname"
	// StepPort: the port is one, and speaks no other protocol.
	StepPort Step = "Port"
	// StepRules: the rules of the handler's settings allow it.
	StepRules Step = "Rules"
	// StepNoRival: no other listener has the hostname on that port, or is in conflict
	// with it there.
	StepNoRival Step = "NoRival"
	// StepAttach: the Certificate has been Ready, if the Gateway waits for that.
	StepAttach Step = "Attach"
	// StepRoom: the Gateway takes one more listener.
	StepRoom Step = "Room"
	// StepAdmission: the API server and its policies take the listener.
	StepAdmission Step = "Admission"
	// StepListener: the listener stands on the Gateway as it should.
	StepListener Step = "Listener"
	// StepReferenceGrant: the Gateway may use a Secret of another namespace.
	StepReferenceGrant Step = "ReferenceGrant"
	// StepController: the Gateway's controller has taken the listener up.
	StepController Step = "Controller"
	// StepCertificateReady: cert-manager has issued the certificate.
	StepCertificateReady Step = "CertificateReady"
)

// State is how a link is.
type State string

// The states.
const (
	// OK: the link holds.
	OK State = "OK"
	// Warning: it holds, and something about it is to be known or mended.
	Warning State = "Warning"
	// Broken: it does not hold.
	Broken State = "Broken"
	// Unknown: a right is missing to tell.
	Unknown State = "Unknown"
	// NotReached: it cannot be told, or does not matter, before an earlier link
	// is mended.
	NotReached State = "NotReached"
)

// Link is one link of a chain as it was found.
type Link struct {
	Step  Step  `json:"link"`
	State State `json:"state"`
	// Reason is one of the contract's, a condition's, or one of ours;
	// docs/troubleshooting.md lists them. It is empty where there is nothing to say.
	Reason string `json:"reason,omitempty"`
	// Detail says to a person what was found.
	Detail string `json:"detail,omitempty"`
	// Remedy is what to do about it; empty where the link holds.
	Remedy string `json:"remedy,omitempty"`
}
