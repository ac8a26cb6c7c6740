// Package deliver sends CloudEvents to the handler, as a source or a Broker
// would, and says in words what it answers.
package deliver
