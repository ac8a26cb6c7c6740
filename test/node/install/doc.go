// Package install puts onto a node what the handler needs and the handler itself:
// CRDs, Knative Serving and Eventing as their modules have them, and knative/base.
package install
