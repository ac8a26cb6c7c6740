package telemetry

import "time"

// How the times add up. A variable that is set overrides the default here.
//
// While the process works, a batch leaves batchDelay after its first item at the
// latest, a request may take requestTimeout, and a batch is given up
// exportTimeout after that began: four requests that time out, or some ten that
// are answered "later" or find nobody to connect to, with pauses that grow from
// firstRetry up to maxRetry.
// Meanwhile queues fill, and what does not fit is dropped; nobody waits.
//
// Of requestTimeout and exportTimeout, one that no variable says gives way to one
// that a variable says, so that a request never takes longer than its batch: see
// patience. Variables that say that it does are an error.
//
// When the process is about to idle, a flush begins quiet after its last work and
// is over exportTimeout later.
//
// When the process stops, Shutdown comes last and has ShutdownTimeout, which is
// enough for a request that is under way and the last one, each as slow as may be
// by default. All that comes before it, and the time that a pod has for that,
// stand in knative/base/handler-service.yaml.
const (
	// batchDelay is the default of OTEL_BSP_SCHEDULE_DELAY and
	// OTEL_BLRP_SCHEDULE_DELAY.
	batchDelay = time.Second

	// requestTimeout is the default of OTEL_EXPORTER_OTLP_TIMEOUT: one request,
	// its connection included.
	requestTimeout = 2500 * time.Millisecond

	// exportTimeout is the default of OTEL_BSP_EXPORT_TIMEOUT,
	// OTEL_BLRP_EXPORT_TIMEOUT and OTEL_METRIC_EXPORT_TIMEOUT: the time after
	// which a batch is not tried again, and that a flush of an idling process may
	// take.
	exportTimeout = 10 * time.Second

	// MaxRequestTimeout is the most that OTEL_EXPORTER_OTLP_TIMEOUT may say. What
	// takes minutes is no request for telemetry, and clients have limits of their
	// own.
	MaxRequestTimeout = 5 * time.Minute

	// firstRetry comes before the second try, and grows by half each time up to
	// maxRetry; each pause is up to half as long again by chance. Tried again are
	// answers that ask for it (429, 502, 503, 504), and what a client calls
	// temporary: timeouts, and connections that fail or cannot be made. OTLP wants
	// all that (sections "Retryable Response Codes", "All Other Responses" and
	// "OTLP/HTTP Connection").
	firstRetry = 250 * time.Millisecond
	maxRetry   = 2 * time.Second

	// quiet is how long after the last work the process counts as about to idle.
	// It is longer than the pauses within a burst of events, and far shorter than
	// a platform that freezes idle processes takes to do so.
	quiet = 200 * time.Millisecond

	// flushPause is the least time between two flushes: a flush sends all metrics,
	// changed or not, and events may come just slowly enough to be idle between
	// any two. It is batchDelay, so a flush never makes for more requests than a
	// busy process does.
	flushPause = batchDelay

	// ShutdownTimeout is how long Shutdown should be given. No variable makes it
	// longer, for it is a part of the time that a pod has: what would take longer
	// is cut off.
	ShutdownTimeout = 2 * requestTimeout

	// lossGather is how long the first loss waits for others to be told with it,
	// and lossPause how long no other line follows.
	lossGather = time.Second
	lossPause  = time.Minute

	// maxLossError bounds the text of an error in that line, in bytes: it quotes
	// the collector's answer.
	maxLossError = 512

	// maxHostname is the longest name that DNS knows, in bytes (RFC 1035, section
	// 2.3.4, without the length of the root).
	maxHostname = 253

	// maxMilliseconds is a day, and maxItems about a million: more of either is a
	// mistake, and some of the SDK's sums would overflow.
	maxMilliseconds = 24 * 60 * 60 * 1000
	maxItems        = 1 << 20
)
