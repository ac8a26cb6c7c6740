package handler

import "time"

const (
	// maxBodyBytes is twice the 1.5 MiB that etcd takes for one object by
	// default: an object as JSON, in an event, may be larger than as stored.
	maxBodyBytes = 3 << 20

	// maxHeaderBytes is well above a CloudEvent's attributes with trace context
	// and a bearer token, and far below the 1 MiB that net/http allows.
	maxHeaderBytes = 64 << 10

	// maxTokenBytes is several times the token of a ServiceAccount, which is about
	// 1 KiB. A longer one is not even hashed.
	maxTokenBytes = 8 << 10

	// readHeaderTimeout and readTimeout are for a peer in the same cluster, or
	// the queue-proxy in the same pod; the body may be maxBodyBytes.
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second

	// workDeadline bounds the work for one request, and the sweep after the start.
	// A run has 10 s of its own; a sweep is many runs, some side by side.
	workDeadline = 40 * time.Second

	// writeTimeout runs from the end of the header, so it must leave room for
	// reading the body and for the work.
	writeTimeout = readTimeout + workDeadline + 5*time.Second

	// idleTimeout is longer than the pauses within a burst, so that a source
	// keeps its connection, and than the 90 s after which Go's clients drop one.
	idleTimeout = 100 * time.Second

	// maxInFlight bounds the requests with events that are worked on at once. The
	// shipped Knative Service lets 20 through (its containerConcurrency), two
	// adapters and the PingSource send one at a time each, a broker some tens. So
	// this holds only where the handler runs without such a proxy, and leaves room
	// for several senders; a goroutine and an event of some 10 kB each are cheap.
	maxInFlight = 100

	// maxLogFindings bounds the rejections, and the notes, in one line of the log,
	// and maxLogText and maxLogError their texts and an error's, in bytes: a
	// Certificate may ask for thousands of hostnames of any length. A line is then
	// some 400 kB at the very most. maxLogError leaves room for a stack.
	maxLogFindings = 50
	maxLogText     = 512
	maxLogError    = 8 << 10

	// DrainTimeout bounds how long a stopping process waits for requests under
	// way: as long as those may take. It is a part of the time that a pod has to
	// stop, whose sum stands in knative/base/handler-service.yaml.
	DrainTimeout = writeTimeout

	// retryAfter is what a 503 asks the sender to wait, in seconds.
	retryAfter = "1"
)
