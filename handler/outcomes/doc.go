// Package outcomes tells others by CloudEvents what the runs for Gateways came
// to: a sink that Knative names, or whoever gets the answer to an event.
//
// [Event] is the rule for what is told, and how. A [Sender] delivers it: never in
// the way of a run, and at the cost of losing what a sink does not take in time.
// docs/outcomes.md is the contract with those who receive the events, and
// docs/outcome.schema.json that of their data.
package outcomes
