// Package explain follows a hostname from the label of its Certificate to the
// status of its listener, link by link, and names the first link that is broken
// and what mends it. It is pure; what is to be had is the planner's to say.
package explain
