// Package handler is the HTTP edge: a CloudEvent comes in, an outcome comes
// back, a status code goes out.
//
// It reads events in binary, structured and batched mode, turns each into a
// [reconcile.Change], and answers when the work is done, never before. How
// Gateways are made right is not its business.
package handler
