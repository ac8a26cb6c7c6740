package reconcile

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is what a change is about.
type Kind string

// The kinds.
const (
	// Certificate is a cert-manager.io Certificate.
	Certificate Kind = "Certificate"
	// Gateway is a gateway.networking.k8s.io Gateway.
	Gateway Kind = "Gateway"
	// Everything asks for a look at each Gateway that is or should be ours,
	// because changes may have gone unseen.
	Everything Kind = "Everything"
)

// Operation is what happened to an object.
type Operation string

// The operations.
const (
	Add    Operation = "Add"
	Update Operation = "Update"
	Delete Operation = "Delete"
)

// Change says that something may be different now. It is trusted for where to
// look, never for what is there.
type Change struct {
	Kind      Kind
	Operation Operation
	// Object is the changed object's metadata as the event had it: name,
	// namespace, labels, annotations and resourceVersion. Nil for [Everything].
	Object *metav1.PartialObjectMetadata
	// Status is a Gateway's as the event had it, as JSON; nil where it had none. It
	// only tells whether the Gateway is worth a look.
	Status json.RawMessage

	// complaints and unreadable are what was read of Status.
	complaints complaints
	unreadable bool
}
