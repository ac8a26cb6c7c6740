package debug

import (
	"sync"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// maxRecent bounds the outcomes that are remembered: some 500 bytes each.
const maxRecent = 200

// Recent remembers the last 200 outcomes of runs, without hostnames and names of
// Certificates. Its zero value is empty. It is safe for concurrent use.
type Recent struct {
	mu   sync.Mutex
	ring [maxRecent]entry
	next int // the number of outcomes so far
}

type entry struct {
	Time     time.Time         `json:"time"`
	Gateway  string            `json:"gateway"`
	Verdict  reconcile.Verdict `json:"verdict"`
	Attempts int               `json:"attempts"`
	TraceID  string            `json:"traceID,omitempty"`
	summary
}

// Add takes what a run came to.
func (r *Recent) Add(o reconcile.Outcome) {
	e := entry{
		Time: time.Now().UTC(), Gateway: o.Gateway.String(), Verdict: o.Verdict, Attempts: o.Attempts,
		summary: summarise(o.Written(), o.Plan.Rejections, append(o.Notes[:len(o.Notes):len(o.Notes)], o.Plan.Notes...)),
	}
	if o.RunSpan.IsValid() {
		e.TraceID = o.RunSpan.TraceID().String()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ring[r.next%maxRecent] = e
	r.next++
}

// newestFirst returns a copy.
func (r *Recent) newestFirst() []entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]entry, 0, min(r.next, maxRecent))
	for i := r.next - 1; i >= 0 && i >= r.next-maxRecent; i-- {
		all = append(all, r.ring[i%maxRecent])
	}
	return all
}
