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

	// fightRounds within fightWindow are one writer undoing another's work; up
	// to there it may be people.
	fightRounds = 4
	fightWindow = time.Minute

	// firstFightPause comes before the write of round fightRounds, and doubles up
	// to maxFightPause. The event source waits meanwhile, with the events of
	// other Gateways behind this one's, so it stays far below runDeadline.
	firstFightPause = 200 * time.Millisecond
	maxFightPause   = 2 * time.Second

	// maxFights bounds how many Gateways' last writes are remembered: 64
	// listeners of 1 kB each make 16 MB at the most.
	maxFights = 256

	// reportDeadline bounds telling people, after a run and outside its deadline.
	reportDeadline = 2 * time.Second

	// maxParallelReports bounds the Events written at once.
	maxParallelReports = 8

	// repeatAfter is how long an Event about another object than the change's is
	// not repeated. It is the sweep's default period.
	repeatAfter = 10 * time.Minute

	// maxTold bounds how many Events are remembered as told: some 100 bytes each.
	maxTold = 4096
)

func retries() wait.Backoff {
	return wait.Backoff{Duration: firstPause, Factor: 2, Jitter: pauseJitter, Steps: maxAttempts}
}
