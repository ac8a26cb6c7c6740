// Package trust reads the certificates of authorities that the handler trusts
// besides those of the system: strictly, and from where the user has put them.
//
// A bundle is taken whole or not at all. What looks like a certificate and is
// none would otherwise be missed only when a connection fails.
package trust
