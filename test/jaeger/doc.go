// Package jaeger runs a real Jaeger on loopback, for tests and for trying the
// project out: it takes traces over OTLP/HTTP, keeps them in memory, and is
// asked for them as a person on call would, by service and tags.
//
// Build makes the program from its Go module, whose version stands in program/.
// That module has no web pages: those are built from another repository and
// packed into Jaeger's releases only. What is left is the JSON API that the
// pages use.
package jaeger
