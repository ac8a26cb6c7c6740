package tree

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
)

// Report is the trees of some Gateways.
type Report struct {
	Gateways []Gateway `json:"gateways"`
	// MissingRights are why not all could be told.
	MissingRights []view.Gap `json:"missingRights,omitempty"`
}

// Gateway is the root of a tree.
type Gateway struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Class is empty where there is no such Gateway, or it may not be read.
	Class string `json:"class,omitempty"`
	// Status is "Programmed", "NotProgrammed", "Paused", "Missing" or "Hidden".
	Status string `json:"status"`
	// Listeners come in the Gateway's own order.
	Listeners []Listener `json:"listeners,omitempty"`
	// Without are Certificates that name the Gateway and have no listener on it.
	Without []Certificate `json:"certificatesWithoutListener,omitempty"`
}

// Words for [Gateway.Status].
const (
	programmed    = "Programmed"
	notProgrammed = "NotProgrammed"
	paused        = "Paused"
	missing       = "Missing"
	hidden        = "Hidden"
)

// Owner tells whose a listener is.
type Owner string

// The owners.
const (
	// Handler: it came from a Certificate, and the handler keeps it.
	Handler Owner = "Handler"
	// User: it is the Gateway owner's, and the handler does not touch it.
	User Owner = "User"
)

// Listener is one of a Gateway's.
type Listener struct {
	Name     gatewayv1.SectionName  `json:"name"`
	Protocol gatewayv1.ProtocolType `json:"protocol"`
	Port     gatewayv1.PortNumber   `json:"port"`
	Hostname gatewayv1.Hostname     `json:"hostname,omitempty"`
	Owner    Owner                  `json:"owner"`
	// Conditions are the controller's, as "Type=Status", in its order.
	Conditions []string `json:"conditions,omitempty"`
	// AttachedRoutes is how many routes the controller has attached.
	AttachedRoutes int32 `json:"attachedRoutes"`
	// Certificate is the one that it came from; nil for a [User]'s.
	Certificate *Certificate `json:"certificate,omitempty"`
	// Secrets are those that it refers to.
	Secrets []Secret `json:"secrets,omitempty"`
}

// Certificate is what stands behind a listener.
type Certificate struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Status is "Ready", "NotReady", "Gone" or "Hidden".
	Status string `json:"status"`
	// Reason and Message are those of the condition Ready where it is not true, or
	// of the planner where there is no listener.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Words for [Certificate.Status], beside hidden.
const (
	ready    = "Ready"
	notReady = "NotReady"
	gone     = "Gone"
)

// Secret is what its Certificate's status tells of it.
type Secret struct {
	Namespace string      `json:"namespace"`
	Name      string      `json:"name"`
	State     SecretState `json:"state"`
	// NotAfter is when what was issued last ends.
	NotAfter *metav1.Time `json:"notAfter,omitempty"`
}

// SecretState is whether there is something in a Secret.
type SecretState string

// The states of a Secret.
const (
	// Issued: the Certificate is Ready.
	Issued SecretState = "Issued"
	// IssuedBefore: it is not, but once was; the Secret holds what it had then.
	IssuedBefore SecretState = "IssuedBefore"
	// NotIssued: it has never been.
	NotIssued SecretState = "NotIssued"
	// Unknown: no Certificate that was read has it.
	Unknown SecretState = "Unknown"
)
