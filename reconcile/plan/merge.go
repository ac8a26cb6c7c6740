package plan

import (
	"fmt"
	"slices"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// merged is a Gateway's listeners after all steps.
type merged struct {
	listeners  []gatewayv1.Listener
	ledger     Ledger
	changes    []Change
	rejections []Finding
	unfinished bool
}

// merge takes the steps, but for those that are refused: there the listener
// stays as it stands.
func merge(in Input, steps []step) merged {
	m := merged{ledger: Ledger{}}
	for _, s := range steps {
		result := s.want
		switch {
		case s.refusal != "":
			result = s.have
		case s.change != nil && in.Only != nil && !in.Only[s.name()]:
			result, m.unfinished = s.have, true
		case s.change != nil:
			m.changes = append(m.changes, *s.change)
		}
		if result != nil {
			m.listeners = append(m.listeners, *result)
		}
		if s.entry != (Entry{}) && (result != nil || s.returns()) {
			m.ledger[s.name()] = s.entry
		}
	}
	if len(m.listeners) == 0 {
		m.keepLast(steps)
	}
	spec := in.Gateway.Spec
	spec.Listeners = m.listeners
	remembered := 0
	for _, s := range steps {
		if s.refusal != "" {
			if remembered++; !s.isNew() || remembered <= maxRefused {
				m.ledger[s.name()] = s.refusedEntry(&spec)
			}
			m.rejections = append(m.rejections, s.refusalFinding(&spec))
		}
	}
	return m
}

// remember keeps names for claims that wait and whose listener was taken off.
func (m *merged) remember(waiting []claim, held *holdings) {
	for _, c := range waiting {
		if name, _, ok := held.of(c); ok {
			m.ledger[name] = c.entry(name)
		}
	}
}

// keepLast leaves the first listener where all would go: the Gateway API wants
// at least one (MinItems of spec.listeners).
func (m *merged) keepLast(steps []step) {
	for _, s := range steps {
		if s.have == nil {
			continue
		}
		m.listeners = append(m.listeners, *s.have)
		m.ledger[s.name()] = s.entry
		m.changes = slices.DeleteFunc(m.changes, func(c Change) bool { return c.Listener == s.name() })
		m.rejections = append(m.rejections, Finding{
			Reason: ReasonLastListenerKept, Certificate: s.entry.Certificate, Hostname: string(hostnameOf(s.have)), Listener: s.name(),
			Message: fmt.Sprintf("listener %s stays although it is to go: a Gateway must have one; it goes as soon as there is another", s.name()),
		})
		return
	}
}
