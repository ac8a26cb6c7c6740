package reconcile

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// told remembers what people have been told lately, so that a change of one
// object does not count up the Events of all others.
type told struct {
	mu sync.Mutex
	at map[telling]time.Time
}

type telling struct {
	about  types.UID
	reason string
	what   uint64
}

var tellingSeed = maphash.MakeSeed()

// due returns the events that are about the change's object, or have not been
// told lately.
func (t *told) due(events []cluster.Event, change Change, now time.Time) []cluster.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil || len(t.at) > maxTold {
		t.at = map[telling]time.Time{}
	}
	return slices.DeleteFunc(events, func(event cluster.Event) bool {
		key := telling{event.Regarding.UID, event.Reason, maphash.String(tellingSeed, cmp.Or(event.Key, event.Note))}
		last, ever := t.at[key]
		if ever && now.Sub(last) < repeatAfter && !isAbout(event, change) {
			return true
		}
		t.at[key] = now
		return false
	})
}

func isAbout(event cluster.Event, change Change) bool {
	return string(change.Kind) == event.Regarding.Kind &&
		plan.NameOf(change.Object) == types.NamespacedName{Namespace: event.Regarding.Namespace, Name: event.Regarding.Name}
}
