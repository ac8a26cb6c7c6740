// Package policytest runs the tests that settings carry: what a Gateway and
// Certificates are to come to, judged by the planner itself and without a cluster.
package policytest
