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

	// maxParallelRuns bounds how many Gateways are worked on at once.
	maxParallelRuns = 8

	// gatherFactor times what the last patch of a Gateway took is the pause before
	// the next: a burst on one Gateway then has a fifth of the API server's time.
	gatherFactor = 4

	// DefaultMaxGather bounds that pause. It is what 64 listeners come to (190 ms
	// a patch) cut to what a person does not notice.
	DefaultMaxGather = 250 * time.Millisecond

	// maxSeen bounds how many Gateways are remembered with their ledgers: of 64
	// listeners at 100 bytes each a ledger is 6 kB.
	maxSeen = 4096

	// maxMoves bounds the Certificates whose updates are remembered while runs are
	// under way: some 300 bytes each.
	maxMoves = 4096

	// maxLanes bounds how many Gateways' last patches are remembered: 200 bytes
	// each.
	maxLanes = 4096

	// maxRefusalRounds bounds how often one write is refused, each time without
	// what was refused before.
	maxRefusalRounds = 4

	// maxDryRuns bounds what one search may ask; a dry run costs as much as a
	// patch, up to 200 ms with 64 listeners.
	maxDryRuns = 48

	// searchTime is after how long a search asks no more, so that what it has
	// found is written within the run.
	searchTime = runDeadline / 2

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

	// maxReports bounds the Events of one run. What is left comes with the next.
	maxReports = 64

	// maxSpanEvents bounds the changes, and the rejections, on a run's span. Both
	// together leave room for an error within the 128 that the SDK keeps. maxSpanText
	// bounds a text of these, in bytes: with 2048 spans in the queue, of which one
	// in seven is a run's, they are 20 MB at the very most.
	maxSpanEvents = 60
	maxSpanText   = 300

	// maxQuoted bounds the Gateways of whose controllers' words is remembered what
	// was told: of 64 listeners at 150 bytes each it is 10 kB.
	maxQuoted = 1024

	// maxTold bounds how many Events are remembered as told: some 200 bytes each.
	maxTold = 16384
)

func retries() wait.Backoff {
	return wait.Backoff{Duration: firstPause, Factor: 2, Jitter: pauseJitter, Steps: maxAttempts}
}
