package reconcile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// fights knows which Gateways another writer keeps putting back. We never give
// up, or that writer would have won; but we slow down, so that two programs do
// not keep an API server busy. A process that has just started knows nothing and
// is as right.
type fights struct {
	mu        sync.Mutex
	byGateway map[types.UID]*fight
}

type fight struct {
	// generation and listeners are as our last write left them.
	generation int64
	listeners  map[gatewayv1.SectionName]gatewayv1.Listener
	// restored are when we put back what somebody else had undone.
	restored []time.Time
}

// slow returns how long to wait before the plan is written, and what to tell the
// Gateway's owner; a nil note means that there is no fight.
func (f *fights) slow(gateway *gatewayv1.Gateway, p plan.Plan) (time.Duration, *plan.Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.byGateway[gateway.UID]
	if known == nil || !known.undone(gateway, p) {
		return 0, nil
	}
	round := known.recent(time.Now()) + 1 - fightRounds
	if round < 0 {
		return 0, nil
	}
	return min(firstFightPause<<min(round, 10), maxFightPause), &plan.Finding{
		Reason: plan.ReasonConflictingWriter,
		Message: fmt.Sprintf("somebody keeps undoing our listeners, and they are put back after ever longer pauses; %s. Tell that program to leave alone the listeners that the annotation %s names",
			lastOtherWriter(gateway), plan.LedgerKey),
	}
}

// wrote takes note of a write. What was undone is judged by the Gateway as it
// was before.
func (f *fights) wrote(before, after *gatewayv1.Gateway, p plan.Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.byGateway[after.UID]
	if f.byGateway == nil || known == nil && len(f.byGateway) >= maxFights {
		f.byGateway = map[types.UID]*fight{}
	}
	if known == nil {
		known = &fight{}
		f.byGateway[after.UID] = known
	}
	if now := time.Now(); known.undone(before, p) {
		known.recent(now)
		known.restored = append(known.restored, now)
	}
	known.generation = after.Generation
	known.listeners = map[gatewayv1.SectionName]gatewayv1.Listener{}
	for _, listener := range after.Spec.Listeners {
		if _, ours := p.Ledger[listener.Name]; ours {
			known.listeners[listener.Name] = listener
		}
	}
}

// undone reports whether the plan puts back what somebody else has taken off or
// changed: the listener is not as we left it, nor as another replica of ours did.
func (f *fight) undone(gateway *gatewayv1.Gateway, p plan.Plan) bool {
	stands := map[gatewayv1.SectionName]*gatewayv1.Listener{}
	for i := range gateway.Spec.Listeners {
		stands[gateway.Spec.Listeners[i].Name] = &gateway.Spec.Listeners[i]
	}
	for _, change := range p.Changes {
		left, known := f.listeners[change.Listener]
		switch {
		case change.Action == plan.Added && change.Restored:
			return true
		case change.Action == plan.Changed && known && gateway.Generation != f.generation &&
			!equality.Semantic.DeepEqual(&left, stands[change.Listener]) && othersOwn(gateway, change.Listener):
			return true
		}
	}
	return false
}

// recent counts the times within the last minute and forgets the others.
func (f *fight) recent(now time.Time) int {
	for len(f.restored) > 0 && now.Sub(f.restored[0]) > fightWindow {
		f.restored = f.restored[1:]
	}
	return len(f.restored)
}

// othersOwn reports whether another field manager than ours has written part of
// the listener. If none has, the change was another replica's.
func othersOwn(gateway *gatewayv1.Gateway, name gatewayv1.SectionName) bool {
	item, err := json.Marshal(fmt.Sprintf(`k:{"name":%q}`, name))
	return err != nil || slices.ContainsFunc(otherWriters(gateway), func(entry metav1.ManagedFieldsEntry) bool {
		return strings.Contains(entry.FieldsV1.GetRawString(), string(item))
	})
}

// otherWriters returns the entries of field managers other than ours that have
// written listeners and still own some of what they wrote.
func otherWriters(gateway *gatewayv1.Gateway) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(slices.Clone(gateway.ManagedFields), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == cluster.FieldManager || entry.Subresource != "" || entry.FieldsV1 == nil ||
			!strings.Contains(entry.FieldsV1.GetRawString(), `"f:listeners"`)
	})
}

// lastOtherWriter names the last field manager but ours to write listeners. One
// that only takes off leaves no trace there, so this is a hint and no proof.
func lastOtherWriter(gateway *gatewayv1.Gateway) string {
	writers := otherWriters(gateway)
	if len(writers) == 0 {
		return "no other field manager is on record as a writer of listeners"
	}
	last := writers[0]
	for _, writer := range writers[1:] {
		if last.Time.Before(writer.Time) {
			last = writer
		}
	}
	return fmt.Sprintf("the last other field manager to have written listeners is %q", last.Manager)
}
