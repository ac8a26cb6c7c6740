// Package handshake follows a Certificate all the way: from its creation, by
// cert-manager's, the product's and Traefik's processes, to a TLS client that is
// served the certificate. The tests here need what package peers builds, which
// takes minutes the first time: "make handshake" builds it and runs them.
package handshake
