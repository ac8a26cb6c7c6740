package plan

import (
	"fmt"
	"slices"
	"strings"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// merge lays the wanted listeners over those that stand.
type merge struct {
	gateway *gatewayv1.Gateway
	held    holdings
	byName  map[gatewayv1.SectionName]claim

	listeners  []gatewayv1.Listener
	ledger     Ledger
	changes    []Change
	rejections []Rejection
}

func (m *merge) run() {
	m.ledger = Ledger{}
	standing := map[gatewayv1.SectionName]bool{}
	for i := range m.gateway.Spec.Listeners {
		have := &m.gateway.Spec.Listeners[i]
		standing[have.Name] = true
		if _, ours := m.held.byName[have.Name]; !ours {
			m.listeners = append(m.listeners, *have)
			continue
		}
		m.keepOrReplace(have)
	}
	m.append(standing)
	if len(m.listeners) == 0 {
		m.keepLast()
	}
}

func (m *merge) keepOrReplace(have *gatewayv1.Listener) {
	c, wanted := m.byName[have.Name]
	if !wanted {
		m.changes = append(m.changes, Change{
			Action: Removed, Listener: have.Name, Hostname: hostnameOf(have), Certificate: m.held.byName[have.Name].certificate,
		})
		return
	}
	want := c.listener(have.Name, m.gateway.Namespace)
	if fields := differingFields(have, &want); len(fields) > 0 {
		m.changes = append(m.changes, Change{
			Action: Changed, Listener: have.Name, Hostname: c.hostname, Certificate: c.certificate, Fields: fields,
		})
		have = &want
	}
	m.listeners = append(m.listeners, *have)
	m.ledger[have.Name] = c.certificate
}

func (m *merge) append(standing map[gatewayv1.SectionName]bool) {
	first := len(m.listeners)
	for name, c := range m.byName {
		if standing[name] {
			continue
		}
		m.listeners = append(m.listeners, c.listener(name, m.gateway.Namespace))
		m.ledger[name] = c.certificate
		m.changes = append(m.changes, Change{Action: Added, Listener: name, Hostname: c.hostname, Certificate: c.certificate})
	}
	slices.SortFunc(m.listeners[first:], func(a, b gatewayv1.Listener) int {
		return strings.Compare(string(a.Name), string(b.Name))
	})
}

// keepLast leaves the first listener where all would go: the Gateway API wants
// at least one (MinItems of spec.listeners).
func (m *merge) keepLast() {
	if len(m.gateway.Spec.Listeners) == 0 {
		return
	}
	last := m.gateway.Spec.Listeners[0]
	certificate := m.held.byName[last.Name].certificate
	m.listeners = append(m.listeners, last)
	m.ledger[last.Name] = certificate
	m.changes = slices.DeleteFunc(m.changes, func(c Change) bool { return c.Listener == last.Name })
	m.rejections = append(m.rejections, Rejection{
		Reason: ReasonLastListenerKept, Certificate: certificate, Hostname: string(hostnameOf(&last)), Listener: last.Name,
		Message: fmt.Sprintf("listener %s stays although nothing asks for it: a Gateway must have one; it goes as soon as there is another", last.Name),
	})
}
