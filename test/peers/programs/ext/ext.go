// Package ext stands in for a module that Traefik's source has in a directory of
// its own and no proxy serves: types without fields, by which others extend what
// Traefik is configured by.
package ext

// HTTP is part of the configuration of HTTP.
type HTTP struct{}

// DeepCopyInto has nothing to copy.
func (*HTTP) DeepCopyInto(*HTTP) {}

// Router is part of a router.
type Router struct{}

// DeepCopyInto has nothing to copy.
func (*Router) DeepCopyInto(*Router) {}
