// Package peers runs, beside the product on loopback, the programs that it
// stands between in a cluster: cert-manager's controllers, which issue
// certificates, and what of Traefik serves them. Each is a process of its own
// that runs as its own ServiceAccount.
//
// Build makes them from their Go modules, whose versions stand in programs/.
package peers
