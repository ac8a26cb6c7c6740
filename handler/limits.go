package handler

import "time"

const (
	// maxBodyBytes is twice the 1.5 MiB that etcd takes for one object by
	// default: an object as JSON, in an event, may be larger than as stored.
	maxBodyBytes = 3 << 20

	// maxHeaderBytes is well above a CloudEvent's attributes with trace context
	// and a bearer token, and far below the 1 MiB that net/http allows.
	maxHeaderBytes = 64 << 10

	// readHeaderTimeout and readTimeout are for a peer in the same cluster, or
	// the queue-proxy in the same pod; the body may be maxBodyBytes.
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second

	// workDeadline bounds the work for one request. A run has 10 s of its own; a
	// sweep is many runs, some side by side.
	workDeadline = 40 * time.Second

	// writeTimeout runs from the end of the header, so it must leave room for
	// reading the body and for the work.
	writeTimeout = readTimeout + workDeadline + 5*time.Second

	// idleTimeout is longer than the pauses within a burst, so that a source
	// keeps its connection, and than the 90 s after which Go's clients drop one.
	idleTimeout = 100 * time.Second

	// drainTimeout bounds how long a stopping process waits for requests under
	// way. It is as long as those may take and leaves time to flush telemetry
	// before the 60 s are over that the shipped Knative Service gives a pod to
	// stop (its timeoutSeconds).
	drainTimeout = writeTimeout

	// retryAfter is what a 503 asks the sender to wait, in seconds.
	retryAfter = "1"
)
