// Package debug shows to people on this machine what the process would do and has
// done lately, and Go's profiles. It holds no secrets. What Certificates ask for is
// shown of the one namespace that is asked about; of all others there are only
// numbers, so that it can be shown to whom it concerns.
package debug
