// Package reconcile brings Gateways to what their Certificates ask for.
//
// A [Change] is a hint that something happened. [Reconciler.Handle] finds the
// Gateways it may concern and runs once for each: read live, plan, patch under a
// guard, again if the Gateway changed meanwhile. Package plan decides, package
// cluster acts; this package knows neither HTTP nor CloudEvents.
package reconcile
