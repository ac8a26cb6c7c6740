package policytest

import (
	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Test is one expectation of the settings. Objects may be whole, as kubectl shows
// them, or left short.
type Test struct {
	// Name says what is expected, to whoever breaks it.
	Name string `json:"name"`
	// Gateway may be left out. Absent from it are taken for: namespace default,
	// name gateway.
	Gateway gatewayv1.Gateway `json:"gateway,omitzero"`
	// Certificates, of which each needs a name. Absent are taken for: the Gateway's
	// namespace, labels that name the Gateway, a Secret called NAME-tls, an age by
	// which those further up are older, and a status of Ready.
	Certificates []certmanagerv1.Certificate `json:"certificates,omitempty"`
	// Namespaces by name, as far as they have labels or annotations. Each has the
	// label kubernetes.io/metadata.name without a word.
	Namespaces map[string]Namespace `json:"namespaces,omitempty"`
	// Want is all that is expected.
	Want Want `json:"want"`
}

// Namespace is what the planner asks of one.
type Namespace struct {
	// Labels are those that selectors look at.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations are those of the contract.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Want is all that is expected: a listener of ours or a refusal that is not in it
// is a failure, as is one that is in it only. One of the two lists has to be there,
// if only as [].
type Want struct {
	// Listeners are all of ours.
	Listeners []Listener `json:"listeners,omitempty"`
	// Refusals are all things that are asked for and not done.
	Refusals []Refusal `json:"refusals,omitempty"`
}

// Listener is one of ours. Only what is given is compared.
type Listener struct {
	// Name is the listener's own.
	Name string `json:"name,omitempty"`
	// Hostname may be a wildcard.
	Hostname string `json:"hostname,omitempty"`
	// Port is from 1 to 65535.
	Port int32 `json:"port,omitempty"`
	// Certificate is NAMESPACE/NAME, or the NAME of one beside the Gateway.
	Certificate string `json:"certificate,omitempty"`
}

// Refusal is something that is not done. Only what is given is compared.
type Refusal struct {
	// Reason is one of the contract's, such as HostnameTaken.
	Reason string `json:"reason,omitempty"`
	// Certificate is NAMESPACE/NAME, or the NAME of one beside the Gateway.
	Certificate string `json:"certificate,omitempty"`
	// Hostname is the one that it is about, if it is about one.
	Hostname string `json:"hostname,omitempty"`
}
