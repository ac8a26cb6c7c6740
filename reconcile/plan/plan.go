package plan

import (
	"cmp"
	"slices"
	"strings"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Plan is the decision for one Gateway: what its listeners should be, and why.
type Plan struct {
	// Listeners are all the Gateway should carry. What stays stands where it
	// stood, as it stood; new ones follow, by name.
	Listeners []gatewayv1.Listener
	// Ledger is what [LedgerKey] should hold.
	Ledger Ledger
	// Annotations are the annotations that we write, by key, as they should be;
	// an empty one should not be there.
	Annotations map[string]string
	// Labels are the labels that we write, likewise.
	Labels map[string]string
	// Changes are the listeners that come, go or differ, by name.
	Changes []Change
	// Rejections are what was asked for and is not done, in a fixed order.
	Rejections []Finding
	// Notes are what people should know of what is done, in a fixed order.
	Notes []Finding
	// Serving are those of our listeners that stay as they stand and that the
	// Gateway's controller has taken up, by name.
	Serving []gatewayv1.SectionName
	// MetadataStale is set when an annotation or label that we write is not as it
	// should be, even if no listener changes.
	MetadataStale bool
	// Unfinished is set when [Input.Only] has kept changes from this plan.
	Unfinished bool
	// Paused is set when the Gateway's owner has paused it: nothing else of the
	// plan is more than the Gateway as it stands.
	Paused bool
	// DryRun is set where nothing of the plan is to be written.
	DryRun bool
}

// Unchanged reports whether the Gateway is as the plan wants it.
func (p Plan) Unchanged() bool { return len(p.Changes) == 0 && !p.MetadataStale }

// Removed returns the listeners that go, by name.
func (p Plan) Removed() []gatewayv1.SectionName {
	var names []gatewayv1.SectionName
	for _, c := range p.Changes {
		if c.Action == Removed {
			names = append(names, c.Listener)
		}
	}
	return names
}

// For decides what a Gateway's listeners should be. The result does not depend
// on the order of the Certificates; it shares the listeners that stay with the
// Gateway.
func For(in Input) Plan {
	t := termsOf(in)
	if t.paused {
		return pausedPlan(in, t)
	}
	ledger, ledgerErr := ParseLedger(in.Gateway.Annotations[LedgerKey])
	all := askedOf(in, t, ledger)
	a := arrangement{gateway: in.Gateway, terms: t, held: holdingsOf(in.Gateway, ledger, all.claims)}
	a.claims, a.waiting = keepPorts(all.claims, a.held)
	ruled := in.byRules(a.claims, a.held)
	a.claims = ruled.claims
	a.setApart(ledger)
	m, lost := a.mergeSome(in, ledger)
	said := hear(in, m, a.conflicts)

	p := Plan{Listeners: m.listeners, Ledger: m.ledger, Changes: m.changes, Unfinished: m.unfinished, Serving: said.serving}
	p.Rejections = slices.Concat(t.findings, all.rejections, ruled.refusals, lost, m.rejections)
	if ledgerErr != nil {
		p.Rejections = append(p.Rejections, Finding{Reason: ReasonMalformedAnnotation, Message: ledgerErr.Error()})
	}
	p.Notes = slices.Concat(all.notes, a.held.corrections, missingGrants(in, m), sharedSecrets(in, m), said.notes)
	p.writeMetadata(in, a.held)
	p.holdBack(in, t)
	slices.SortFunc(p.Changes, func(a, b Change) int { return strings.Compare(string(a.Listener), string(b.Listener)) })
	slices.SortStableFunc(p.Rejections, findingOrder)
	slices.SortStableFunc(p.Notes, findingOrder)
	return p
}

// mergeSome leaves out what the API server has refused, in this run or in an
// earlier one. As soon as anything else changes, so does the spec, and then what
// was refused earlier is offered again with it; but not where listeners are only
// added, for that makes no room for what was refused before.
func (a arrangement) mergeSome(in Input, ledger Ledger) (m merged, lost []Finding) {
	now, earlier := refusedNow(in), refusedEarlier(ledger, &in.Gateway.Spec)
	either := func(s step) string { return cmp.Or(now(s), earlier(s)) }
	for _, refused := range []func(step) string{either, now} {
		result := a.without(refused)
		m, lost = merge(in, result.steps), result.lost
		m.remember(a.waiting, a.held)
		m.giveWay(a.conflicts)
		if !slices.ContainsFunc(m.changes, func(c Change) bool { return c.Action != Added || c.Restored }) {
			break
		}
	}
	return m, lost
}

// pausedPlan leaves the Gateway as it stands.
func pausedPlan(in Input, t *terms) Plan {
	return Plan{
		Paused:    true,
		Listeners: in.Gateway.Spec.Listeners,
		Notes: []Finding{{
			Reason:  ReasonPaused,
			Message: "the Gateway is paused by its annotation " + PausedKey + "; nothing is written to it",
		}},
		Rejections: t.findings,
	}
}
