// Package cluster reads what a reconciliation needs from the API server and
// writes its result: Certificates by label selector, Gateways by name, and one
// guarded patch. It decides nothing.
package cluster
