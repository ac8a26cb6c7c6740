// Package diff shows what the handler would change on Gateways, and why, and
// what it refuses. It is pure.
package diff
