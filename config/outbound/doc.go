// Package outbound makes the HTTP clients with which this process reaches
// others: over TLS that is always verified, with the user's CA certificates
// beside the system's, and with OAuth 2.0 where it is asked for.
//
// A [Factory] keeps one client for each owner and each version of its
// [Config], and lends it out as a [Lease]. For TLS, CA certificates and a client
// certificate are read again before each acquisition: when they change, the next
// acquisition gets a new client, and leases on the old one finish. If they cannot
// be read, the acquisition fails; no older client is handed out.
//
// Errors are a [ConfigError], a [TransientError] or a [RemoteError], by
// [errors.As]. None holds a credential or a token, nor what a server wrote, but
// for the names in its certificate, which are quoted and cut.
package outbound
