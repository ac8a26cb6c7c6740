// Package authn tells who holds a bearer token, by asking the API server once
// and remembering what it said.
package authn
