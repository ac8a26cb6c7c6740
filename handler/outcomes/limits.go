package outcomes

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// maxData bounds an event's data, in bytes. CloudEvents 1.0 (section "Size
	// Limits") has every intermediary forward an event of 64 KiB; what remains is
	// for the attributes, of which those below may be the largest.
	maxData = 56 << 10

	// maxOverrides bounds K_CE_OVERRIDES, in bytes. In binary mode extensions are
	// headers, and servers take as little as 8 KiB of those.
	maxOverrides = 4 << 10

	// maxTraceState is the length, in bytes, up to which W3C Trace Context
	// (section 3.3.1.5) wants a tracestate handed on. A longer one is left out.
	maxTraceState = 512

	// maxCausation bounds the id of the event that caused a run, in bytes. Knative's
	// have 36; a longer one is left out, for cut it would name nothing.
	maxCausation = 256

	// maxChanges is how many listeners a Gateway may have. A run that writes
	// several times may change more.
	maxChanges = 64

	// maxFindings bounds the rejections, and the notes, of one event, and maxText
	// each text, in bytes: as in a line of the log. A Certificate may ask for
	// thousands of hostnames of any length.
	maxFindings = 50
	maxText     = 512

	// queueLength bounds the events that wait to be delivered: 16 MiB at 64 KiB
	// each, though most have 1 KiB.
	queueLength = 256

	// maxWaiting bounds the events that wait for an answer to carry them, which are
	// as large. Few processes have as many Gateways.
	maxWaiting = 256

	// tryTimeout bounds one request to the sink, which may have to start from zero
	// before it answers, and deliveryTimeout all that is done for one event: what
	// comes behind it waits meanwhile.
	tryTimeout      = 15 * time.Second
	deliveryTimeout = time.Minute

	// maxTries bounds the requests for one event. The pauses between them, of
	// firstPause and doubling, are 6.2 s in all, and up to half as long again by
	// chance, so that senders that failed together do not come back together.
	maxTries    = 6
	firstPause  = 200 * time.Millisecond
	pauseJitter = 0.5

	// maxRetryAfter bounds what a sink's Retry-After can ask for.
	maxRetryAfter = 20 * time.Second

	// maxAnswer bounds what is read of a sink's answer, in bytes, for the sake of
	// the connection; nobody looks at it.
	maxAnswer = 64 << 10

	// repeatAfter is how long an outcome that changes nothing and says what the
	// last one said is not sent again. It is the sweep's default period.
	repeatAfter = 10 * time.Minute

	// maxTold bounds the Gateways of which that is remembered: 300 bytes each.
	maxTold = 4096

	// lossPause is the least time between two lines about events that are lost.
	lossPause = time.Minute

	// CloseTimeout is how long [Sender.Close] should be given: a sink that answers
	// takes what is queued within that. It is a part of the time that a pod has to
	// stop, whose sum stands in knative/base/handler-service.yaml.
	CloseTimeout = 4 * time.Second
)

// pauses come between the tries for one event.
func pauses() wait.Backoff {
	return wait.Backoff{Duration: firstPause, Factor: 2, Jitter: pauseJitter, Steps: maxTries - 1}
}
