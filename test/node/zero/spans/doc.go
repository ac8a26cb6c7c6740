// Package spans finds in a trace of the handler what a patch of a Gateway was made
// of, and how long each part took.
package spans
