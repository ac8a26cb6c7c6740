package zero

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// mostAboveBare is what the handler may add to the start of a Service that does
// nothing.
const mostAboveBare = 100 * time.Millisecond

// wakes is how often each is measured.
func wakes() int {
	if quick() {
		return 5
	}
	return 20
}

// wakeStages are those of a handler that sleeps.
var wakeStages = []string{
	"source: Certificate created to event sent",
	"activator: to Deployment scaled",
	"scheduling: to pod on the node",
	"pod start: to the process's first line",
	"process start: to the Gateway's turn",
	"handling: to Gateway patched",
}

func TestACertificateWakesTheHandlerSoonAfterItsPodCouldHaveStarted(t *testing.T) {
	o, idle := handler(t), bare(t)
	s := newScene(t, "cold")
	w := woken{byEvent: map[bool]int{}}
	var started durations
	for i := range wakes() {
		sleeping(t, o, idle)
		// By turns, so that neither always has what the other has left behind.
		if i%2 == 0 {
			w.wake(t, o, s.next())
			time.Sleep(settling)
			started = append(started, start(t, idle))
		} else {
			started = append(started, start(t, idle))
			time.Sleep(settling)
			w.wake(t, o, s.next())
		}
	}
	node.report.table(fmt.Sprintf("Step 2: %d wakes from zero, ms", wakes()), []string{"", "least", "median", "most"}, slices.Concat(
		[][]string{
			append([]string{"**Certificate created to Gateway patched**"}, w.total.cells()...),
			append([]string{"**a Service that does nothing, request to answer**"}, started.cells()...),
		}, w.parts.rows(), [][]string{
			append([]string{"Certificate created to the handler having its event"}, w.event.cells()...),
		},
	))
	node.report.say("Of %d patches %d were made by the look at everything with which the handler starts, and %d by the event.",
		len(w.total), w.byEvent[false], w.byEvent[true])
	if above := w.total.median() - started.median(); !quick() && above > mostAboveBare {
		t.Errorf("the median is %v above the start of a Service that does nothing, want %v at most", above, mostAboveBare)
	}
}

// woken is what wakes took.
type woken struct {
	total, event durations
	parts        stages
	byEvent      map[bool]int // how many of the patches
}

func (w *woken) wake(t *testing.T, o *observer, s take) {
	t.Helper()
	o.reset()
	created, patched := s.play(t)
	issued(t, s.n, s.name)
	made := writeOf(t, s.n.Name, s.name)
	event := eventSpan(t, s.n.Name, s.name)
	marks, pod := o.seen()
	if pod == "" {
		t.Fatalf("no pod was made for %s", s.name)
	}
	sent := s.adapters.sentAt(t, s.n.Name, s.name)
	w.parts.add(wakeStages, created, sent, marks[markScaled], marks[markScheduled],
		firstLine(t, o.namespace, pod, o.container), made.Turn.Start, patched)
	w.total = append(w.total, patched.Sub(created))
	w.event = append(w.event, event.Start.Sub(created))
	w.byEvent[made.Turn.TraceID == event.TraceID]++
}

// start asks a Service that sleeps, and returns what its answer took.
func start(t *testing.T, o *observer) time.Duration {
	t.Helper()
	begin := time.Now()
	send(t, o, newRequest(t, http.MethodGet, ""))
	return time.Since(begin)
}
