package plan

import (
	"maps"
	"slices"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// step is what becomes of one listener.
type step struct {
	// have and want are nil where there is none.
	have, want *gatewayv1.Listener
	// entry is the ledger's; zero where the listener is user-owned.
	entry Entry
	// change is nil where nothing changes.
	change *Change
	// refusal is set where the API server will not have the change: its words.
	refusal string
}

func (s step) name() gatewayv1.SectionName {
	if s.have != nil {
		return s.have.Name
	}
	return s.want.Name
}

func (s step) wish() wish { return wish{s.change.Certificate, s.change.Hostname} }

// isNew reports whether the listener would be ours for the first time.
func (s step) isNew() bool { return s.have == nil && s.change != nil && !s.change.Restored }

// removes reports whether the listener is to go.
func (s step) removes() bool { return s.have != nil && s.want == nil }

// returns reports whether the listener is ours already, and only taken off.
func (s step) returns() bool { return s.have == nil && s.change != nil && s.change.Restored }

// stepsOf returns the steps in the order of the listeners as they stand, new
// ones last and by name.
func stepsOf(gateway *gatewayv1.Gateway, held *holdings, byName map[gatewayv1.SectionName]claim) []step {
	var steps []step
	left := maps.Clone(byName)
	for i := range gateway.Spec.Listeners {
		have := &gateway.Spec.Listeners[i]
		c, wanted := left[have.Name]
		delete(left, have.Name)
		known, ours := held.byName[have.Name]
		switch {
		case !ours:
			steps = append(steps, step{have: have, want: have})
		case !wanted:
			c = claimFor(known.wish.certificate, known.wish.hostname)
			steps = append(steps, step{have: have, entry: c.entry(have.Name), change: c.change(Removed, have.Name)})
		default:
			steps = append(steps, c.keep(have, gateway.Namespace))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		c := left[name]
		change := c.change(Added, name)
		_, change.Restored = held.byName[name]
		steps = append(steps, step{want: new(c.listener(name, gateway.Namespace)), entry: c.entry(name), change: change})
	}
	return steps
}

// keep leaves a listener as it stands if it is as the claim wants it, to the
// order of what means the same.
func (c claim) keep(have *gatewayv1.Listener, gatewayNamespace string) step {
	s := step{have: have, want: have, entry: c.entry(have.Name)}
	want := c.listener(have.Name, gatewayNamespace)
	if fields := differingFields(have, &want, gatewayNamespace); len(fields) > 0 {
		s.want, s.change = &want, c.change(Changed, have.Name)
		s.change.Fields = fields
	}
	return s
}

func (c claim) change(action Action, name gatewayv1.SectionName) *Change {
	return &Change{Action: action, Listener: name, Hostname: c.hostname, Certificate: c.certificate}
}
