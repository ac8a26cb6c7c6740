package outcomes

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// waiting are events that came about without an answer to carry them, as those of
// a sweep: at most one for each Gateway, the oldest first. It is not safe for
// concurrent use.
type waiting []delivery

// take returns the Gateway's event, which then waits no more.
func (w *waiting) take(gateway types.NamespacedName) (d delivery, ok bool) {
	i := slices.IndexFunc(*w, func(d delivery) bool { return d.gateway == gateway })
	if i < 0 {
		return delivery{}, false
	}
	d = (*w)[i]
	*w = slices.Delete(*w, i, i+1)
	return d, true
}

// put has an event wait, behind all others.
func (w *waiting) put(d delivery) { *w = append(*w, d) }

// surplus returns the oldest where more wait than may.
func (w *waiting) surplus() (d delivery, ok bool) {
	if len(*w) <= maxWaiting {
		return delivery{}, false
	}
	return w.take((*w)[0].gateway)
}
