// Package stack runs the whole product on loopback, for tests and for trying it
// out: a real API server, the shipped manifests, Knative's real adapter once for
// each source that the manifests configure, and the handler, each a process of
// its own that runs as its own ServiceAccount.
//
// What Knative's controllers would do with the manifests is done here: the
// adapters get the environment that those would give them, with the handler's
// address as their sink.
package stack
