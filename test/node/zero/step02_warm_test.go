package zero

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// mostOwn is what a handler that runs may take itself, from the event to the answer
// of its patch. What the API server takes meanwhile is not its own.
const mostOwn = 5 * time.Millisecond

// warmStages are those of a handler that runs.
var warmStages = []string{
	"source: Certificate created to event sent",
	"way: to the event in the handler",
	"reading: to all that bears on the Gateway read",
	"deciding: to the patch sent",
	"writing: to Gateway patched",
}

func TestAWarmHandlerPatchesAtOnce(t *testing.T) {
	o := handler(t)
	// On few CPUs its work for a Certificate falls into the same milliseconds.
	beside := warm(t, o)
	pauseCertManager(t)
	w := warm(t, o)
	node.report.table(fmt.Sprintf("Step 2: %d changes while the handler runs, ms", len(w.total)), []string{"", "least", "median", "most"}, slices.Concat(
		w.rows(), [][]string{
			append([]string{"of all that, the handler itself and not the API server's answers to it"}, w.own.cells()...),
			append([]string{"all that but reading and deciding: what no handler can be faster than"}, w.floor.cells()...),
			append([]string{"the whole while cert-manager issues"}, beside.total.cells()...),
		},
	))
	if !quick() && w.own.median() > mostOwn {
		t.Errorf("the median of the handler's own time is %v, want %v at most", w.own.median(), mostOwn)
	}
}

// changed is what changes took while the handler ran.
type changed struct {
	total, own durations
	// floor is without what lies between the event and the patch.
	floor durations
	parts stages
}

func (c changed) rows() [][]string {
	return append([][]string{append([]string{"**Certificate created to Gateway patched**"}, c.total.cells()...)}, c.parts.rows()...)
}

// warm measures changes while the handler runs.
func warm(t *testing.T, o *observer) (c changed) {
	t.Helper()
	s := newScene(t, "warm")
	ping(t, o)
	for range wakes() {
		// More than the pause that the handler keeps between two writes.
		time.Sleep(700 * time.Millisecond)
		one := s.next()
		created, patched := one.play(t)
		c.total = append(c.total, patched.Sub(created))
		made, event := writeOf(t, s.n.Name, one.name), eventSpan(t, s.n.Name, one.name)
		sent := s.adapters.sentAt(t, s.n.Name, one.name)
		c.parts.add(warmStages, created, sent, event.Start, made.Read.End, made.Patch.Start, patched)
		c.own = append(c.own, made.Own(event))
		c.floor = append(c.floor, patched.Sub(created)-made.Patch.Start.Sub(event.Start))
	}
	return c
}
