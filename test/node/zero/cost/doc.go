// Package cost reckons what parts of a cluster use, from what the kubelet and the
// API server's audit log say over minutes to what that is in an hour.
package cost
