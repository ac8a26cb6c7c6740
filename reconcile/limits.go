package reconcile

import (
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// runDeadline bounds one run, tries and pauses together. The event source
	// sends the next event of a kind only after this one's answer.
	runDeadline = 10 * time.Second

	// maxAttempts bounds how often a run reads, plans and patches before it
	// leaves the Gateway to the event's next delivery.
	maxAttempts = 5

	// firstPause comes before the second attempt, and doubles. It is longer
	// than a patch of a small Gateway takes (5 ms), so that a rival's is done.
	firstPause = 20 * time.Millisecond

	// pauseJitter is the part by which a pause may be longer, by chance, so
	// that two that failed together do not meet again.
	pauseJitter = 0.5

	// maxParallelRuns bounds how many Gateways one change is worked on at once.
	maxParallelRuns = 8
)

func retries() wait.Backoff {
	return wait.Backoff{Duration: firstPause, Factor: 2, Jitter: pauseJitter, Steps: maxAttempts}
}
