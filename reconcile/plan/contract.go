package plan

// KeyPrefix starts every label and annotation of the contract with users.
const KeyPrefix = "gateway-cert-operator.io/"

// Keys of the contract. What a value means and what holds when the key is
// absent stands beside it; "Certificate" is cert-manager.io/v1, "Gateway" is
// gateway.networking.k8s.io/v1.
const (
	// GatewayNameKey is the label of a Certificate that names its Gateway. A
	// Gateway's name of over 63 characters is written as [GatewayNameLabel]
	// gives it, and then the annotation of the same key holds the full name.
	GatewayNameKey = KeyPrefix + "gateway-name"

	// GatewayNamespaceKey is the label of a Certificate that names its
	// Gateway's namespace. Absent or empty: the Certificate's own.
	GatewayNamespaceKey = KeyPrefix + "gateway-namespace"

	// ListenerPortKey is an annotation, 1 to 65535. On a Certificate it is the
	// port of its listeners; on a Gateway, of those whose Certificate names
	// none. Absent from both: [DefaultPort].
	ListenerPortKey = KeyPrefix + "listener-port"

	// CertificateNamespacesKey is the annotation by which a Gateway's owner
	// says whose Certificates may attach: "Same" (default), "All", or
	// "Selector: " and a label selector on namespaces.
	CertificateNamespacesKey = KeyPrefix + "certificate-namespaces"

	// AllowedHostnamesKey is an annotation: hostnames and "*." patterns,
	// separated by commas, outside which nothing is attached. On a Gateway it is
	// its owner's word; on a Namespace it binds the Certificates in it, on
	// whatever Gateway. Absent: any hostname.
	AllowedHostnamesKey = KeyPrefix + "allowed-hostnames"

	// AllowedRoutesKey is an annotation of a Gateway or, where that has none, of
	// a Certificate: "All", "Same", "CertificateNamespace", or "Selector: " and a
	// label selector on namespaces. Absent from both: "All" for a Certificate
	// from the Gateway's namespace, else "CertificateNamespace".
	AllowedRoutesKey = KeyPrefix + "allowed-routes"

	// MaxListenersKey is the annotation by which a Gateway's owner bounds the
	// number of our listeners, from 0. The Gateway API's limit for all of a
	// Gateway's listeners, 64, holds in any case.
	MaxListenersKey = KeyPrefix + "max-listeners"

	// PublishKey is the annotation of a Gateway that says where listeners go.
	// Only "Gateway", the default, is supported.
	PublishKey = KeyPrefix + "publish"

	// AttachKey is the annotation of a Gateway that says when a Certificate gets
	// its listeners: "Always" (default), or "WhenReady", once it has been Ready.
	AttachKey = KeyPrefix + "attach"

	// PausedKey is the annotation of a Gateway that, when "true", keeps us from
	// writing to it. Default "false".
	PausedKey = KeyPrefix + "paused"

	// ModeKey is the annotation of a Gateway that, when "DryRun", has its plan made
	// and told, and not written. Default "Apply", unless the settings say DryRun.
	ModeKey = KeyPrefix + "mode"

	// LedgerKey is the annotation in which the handler keeps the [Ledger].
	LedgerKey = KeyPrefix + "listeners"

	// ManagedKey is the label that marks a Gateway that has a ledger, so that
	// a sweep finds it after its last Certificate is gone.
	ManagedKey = KeyPrefix + "managed"

	// ManagedValue is the value of [ManagedKey].
	ManagedValue = "true"
)

const (
	// DefaultPort is the port of a listener when neither side names one.
	DefaultPort = 443

	// maxListeners is the Gateway API's limit for spec.listeners (MaxItems of
	// the field in gateway.networking.k8s.io/v1).
	maxListeners = 64
)
