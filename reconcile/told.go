package reconcile

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// told remembers what people have been told lately, so that a change of one
// object does not count up the Events of all others.
type told struct {
	once   sync.Once
	recent *cache.LRUExpireCache // of telling, for repeatAfter
}

type telling struct {
	about  types.UID
	reason string
	what   uint64
}

var tellingSeed = maphash.MakeSeed()

func tellingOf(event cluster.Event) telling {
	return telling{event.Regarding.UID, event.Reason, maphash.String(tellingSeed, cmp.Or(event.Key, event.Note))}
}

// due returns the events that are about the Certificate of a change, or have not
// been told lately, in that order, and no more than one run may write.
func (t *told) due(events []cluster.Event, changes []Change) []cluster.Event {
	t.once.Do(func() { t.recent = cache.NewLRUExpireCache(maxTold) })
	var about, others []cluster.Event
	for _, event := range events {
		_, lately := t.recent.Get(tellingOf(event))
		switch {
		case slices.ContainsFunc(changes, func(change Change) bool { return isAbout(event, change) }):
			about = append(about, event)
		case !lately:
			others = append(others, event)
		}
	}
	due := append(about, others...)
	return due[:min(len(due), maxReports)]
}

// tell takes note of an event that has been told.
func (t *told) tell(event cluster.Event) { t.recent.Add(tellingOf(event), nil, repeatAfter) }

// forget makes tellings due again.
func (t *told) forget(tellings []telling) {
	for _, one := range tellings {
		t.recent.Remove(one)
	}
}

// isAbout leaves Gateways out: their controllers write status as they like, and
// none of that is a repeat.
func isAbout(event cluster.Event, change Change) bool {
	return change.Kind == Certificate && event.Regarding.Kind == string(Certificate) &&
		plan.NameOf(change.Object) == types.NamespacedName{Namespace: event.Regarding.Namespace, Name: event.Regarding.Name}
}
