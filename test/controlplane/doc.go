// Package controlplane runs a real Kubernetes API server, and Knative's real
// ApiServerSource adapter against it, for tests and for trying the project
// out.
//
// Build makes the programs once per version and keeps them in a cache outside
// the tree; Locate finds them again without building. Start brings up etcd and
// kube-apiserver on free loopback ports with the CRDs the project works with.
// StartAdapter and StartProcess run what talks to that server, each with the
// identity and environment it would have in a cluster.
//
// Environment variables are described in the README beside this file.
package controlplane
