// Package plan decides which listeners a Gateway should carry.
//
// It is pure: [For] takes a Gateway and the Certificates that ask for it and
// returns the listeners as they should be, what that changes and what was
// refused, each with its reason. Nothing here talks to a cluster, so every rule
// of the contract can be tested without one.
package plan
