// Package knative holds what runs in Knative: the manifests that are applied to
// a cluster, and the words of the events that they cause.
//
// It imports nothing of Knative. The handler needs a dozen strings and not the
// libraries behind them; the tests hold the strings to Knative's own.
package knative

// The types of the events that the sources in base send.
//
// An ApiServerSource, and any adapter configured like one, sends the first
// three in mode Resource: the data is the whole object.
const (
	ResourceAdd    = "dev.knative.apiserver.resource.add"
	ResourceUpdate = "dev.knative.apiserver.resource.update"
	ResourceDelete = "dev.knative.apiserver.resource.delete"

	// Ping is what a PingSource sends. It names no object.
	Ping = "dev.knative.sources.ping"
)

// The types that an ApiServerSource sends in mode Reference, which is its
// default: the data is an ObjectReference, without the labels that say which
// Gateway a Certificate is for. They are known here so that a source with the
// wrong mode can be told from a stranger.
const (
	ReferenceAdd    = "dev.knative.apiserver.ref.add"
	ReferenceUpdate = "dev.knative.apiserver.ref.update"
	ReferenceDelete = "dev.knative.apiserver.ref.delete"
)

// The types of the events that the handler itself sends, about one run for one
// Gateway: docs/outcomes.md says when.
const (
	GatewayReconciled = "io.gateway-cert-operator.gateway.reconciled"
	GatewayFailed     = "io.gateway-cert-operator.gateway.failed"
)

// The extension attributes by which an ApiServerSource's events name their
// object. Its subject is no substitute: the plural in it is guessed.
const (
	ExtensionAPIVersion = "apiversion"
	ExtensionKind       = "kind"
	ExtensionNamespace  = "namespace"
	ExtensionName       = "name"
)
