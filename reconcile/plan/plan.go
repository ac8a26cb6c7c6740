package plan

import (
	"cmp"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Plan is the decision for one Gateway: what its listeners should be, and why.
type Plan struct {
	// Listeners are all the Gateway should carry. What stays stands where it
	// stood, as it stood; new ones follow, by name.
	Listeners []gatewayv1.Listener
	// Ledger is what [LedgerKey] should hold.
	Ledger Ledger
	// Changes are the listeners that come, go or differ, by name.
	Changes []Change
	// Rejections are what was asked for and is not done, in a fixed order.
	Rejections []Rejection
	// LedgerStale is set when the Gateway's ledger or managed label is not as
	// it should be, even if no listener changes.
	LedgerStale bool
}

// Unchanged reports whether the Gateway is as the plan wants it.
func (p Plan) Unchanged() bool { return len(p.Changes) == 0 && !p.LedgerStale }

// Removes reports whether a listener goes.
func (p Plan) Removes() bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Action == Removed })
}

// For decides what a Gateway's listeners should be.
//
// Certificates are all those whose labels name the Gateway, in any order: the
// result does not depend on it. The Gateway is not modified; the plan shares
// the listeners that stay with it.
func For(gateway *gatewayv1.Gateway, certificates []certmanagerv1.Certificate) Plan {
	all, rejections := claims(gateway, certificates)
	ledger, err := ParseLedger(gateway.Annotations[LedgerKey])
	if err != nil {
		rejections = append(rejections, Rejection{Reason: ReasonMalformedAnnotation, Message: err.Error()})
	}
	held := holdingsOf(gateway, ledger, all)
	userOwned := held.userOwned(gateway.Spec.Listeners)
	won, lost := settle(userOwned, held, keepPorts(all, held))
	m := merge{gateway: gateway, held: held, byName: nameAll(won, held, userOwned)}
	m.run()

	p := Plan{Listeners: m.listeners, Ledger: m.ledger, Changes: m.changes}
	p.Rejections = slices.Concat(rejections, lost, m.rejections)
	slices.SortFunc(p.Changes, func(a, b Change) int { return strings.Compare(string(a.Listener), string(b.Listener)) })
	slices.SortStableFunc(p.Rejections, rejectionOrder)
	p.LedgerStale = gateway.Annotations[LedgerKey] != p.Ledger.String() ||
		(gateway.Labels[ManagedKey] == ManagedValue) != (len(p.Ledger) > 0)
	return p
}

func rejectionOrder(a, b Rejection) int {
	return cmp.Or(
		strings.Compare(a.Certificate.String(), b.Certificate.String()),
		strings.Compare(a.Hostname, b.Hostname),
		strings.Compare(string(a.Reason), string(b.Reason)),
		strings.Compare(a.Message, b.Message),
	)
}
