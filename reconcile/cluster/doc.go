// Package cluster reads what a reconciliation needs from the API server and
// writes its result: Certificates by label selector, Gateways and Namespaces by
// name, ReferenceGrants; one guarded patch, written or only tried; Events for
// people. It also asks whose a token is. It decides nothing.
package cluster
