package reconcile

import (
	"hash/maphash"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// quoted remembers what Gateways' controllers say against our listeners and people
// have been told, for as long as it stands: a controller says it again with each
// write of its status. What was told is due again once the controller has said
// something else of the listener; that it has said nothing of the newest state yet
// is nothing else. A process that has just started knows nothing, and counts the
// Event up.
type quoted struct {
	mu        sync.Mutex
	byGateway map[types.UID]map[gatewayv1.SectionName]quote
}

// quote is what was told of one listener.
type quote struct {
	about   types.UID // the Certificate's
	what    uint64
	telling telling
}

func quoteOf(f plan.Finding, o Outcome) quote {
	return quote{about: o.seen.certificates[f.Certificate].UID, what: maphash.String(tellingSeed, string(f.Reason)+f.Key)}
}

// isQuote tells the findings that are told once for each change.
func isQuote(f plan.Finding) bool { return audiences[f.Reason].once && f.Listener != "" }

// fresh leaves out of an outcome what has been told, and returns with it the
// tellings of what no longer holds.
func (q *quoted) fresh(o Outcome) (_ Outcome, over []telling) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if o.seen.gateway == nil || o.Plan.Ledger == nil { // nothing was planned
		return o, nil
	}
	known := q.byGateway[o.seen.gateway.UID]
	for listener, told := range known {
		if !told.stands(listener, o) {
			over = append(over, told.telling)
			delete(known, listener)
		}
	}
	isTold := func(f plan.Finding) bool {
		_, told := known[f.Listener]
		return told && isQuote(f)
	}
	o.Plan.Rejections = slices.DeleteFunc(slices.Clone(o.Plan.Rejections), isTold)
	o.Plan.Notes = slices.DeleteFunc(slices.Clone(o.Plan.Notes), isTold)
	return o, over
}

// stands reports whether what was told of a listener still holds, as far as is
// known: it is found again, or the controller has yet to look at what is ours.
func (t quote) stands(listener gatewayv1.SectionName, o Outcome) bool {
	for _, f := range slices.Concat(o.Plan.Rejections, o.Plan.Notes) {
		if f.Listener == listener && isQuote(f) {
			now := quoteOf(f, o)
			return now.about == t.about && now.what == t.what
		}
	}
	entry, ours := o.Plan.Ledger[listener]
	return ours && entry.Refused == "" && !slices.Contains(o.Plan.Serving, listener)
}

// tell takes note of an Event that has been written of a fresh outcome.
func (q *quoted) tell(event cluster.Event, o Outcome) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, f := range slices.Concat(o.Plan.Rejections, o.Plan.Notes) {
		if now := quoteOf(f, o); isQuote(f) && string(f.Reason) == event.Reason && now.about == event.Regarding.UID {
			now.telling = tellingOf(event)
			q.remember(o.seen.gateway.UID, f.Listener, now)
		}
	}
}

func (q *quoted) remember(gateway types.UID, listener gatewayv1.SectionName, told quote) {
	if _, known := q.byGateway[gateway]; !known && len(q.byGateway) >= maxQuoted {
		q.byGateway = nil
	}
	if q.byGateway == nil {
		q.byGateway = map[types.UID]map[gatewayv1.SectionName]quote{}
	}
	if q.byGateway[gateway] == nil {
		q.byGateway[gateway] = map[gatewayv1.SectionName]quote{}
	}
	q.byGateway[gateway][listener] = told
}
