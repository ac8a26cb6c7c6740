package plan

import (
	"fmt"
	"slices"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// heard is what the Gateway's controller says of our listeners.
type heard struct {
	// notes are what it says against them.
	notes []Finding
	// serving are those that it has taken up.
	serving []gatewayv1.SectionName
}

// hear asks only for listeners that are ours and stay as they stand: of any other
// the controller will have something else to say.
func hear(in Input, m merged, conflicts []conflict) heard {
	if len(in.Gateway.Status.Listeners) == 0 {
		return heard{}
	}
	passed := map[gatewayv1.SectionName]bool{}
	for _, change := range m.changes {
		passed[change.Listener] = true
	}
	for _, x := range conflicts {
		passed[x.name] = true // its rejection says it
	}
	hostnames := map[gatewayv1.SectionName]gatewayv1.Hostname{}
	for i := range m.listeners {
		hostnames[m.listeners[i].Name] = hostnameOf(&m.listeners[i])
	}
	secrets := issuancesOf(in.Certificates)
	var h heard
	for _, status := range in.Gateway.Status.Listeners {
		entry, ours := m.ledger[status.Name]
		hostname, stands := hostnames[status.Name]
		if !ours || !stands || passed[status.Name] {
			continue
		}
		switch word := wordOf(status.Conditions, in.Gateway.Generation); word.Standing {
		case Serving:
			h.serving = append(h.serving, status.Name)
		case Failing:
			secret := secrets[entry.Certificate]
			if word.awaits(secret) {
				continue
			}
			h.notes = append(h.notes, Finding{
				Reason: word.Reason, Certificate: entry.Certificate, Hostname: string(hostname), Listener: status.Name,
				Message: "the Gateway's controller says: " + word.String(), Key: word.key(status.Name),
				Early: word.precedes(secret),
			})
		}
	}
	slices.Sort(h.serving)
	return h
}

// key is the same however the controller words it.
func (w Word) key(listener gatewayv1.SectionName) string {
	return fmt.Sprintf("%s %s %s %.64s", listener, w.Condition.Type, w.Condition.Status, w.Condition.Reason)
}

// Complaints returns what a Gateway's controller says against the listeners that
// the ledger names, each in words that are the same for the same condition, status
// and reason, and sorted. It is all of the Gateway's status that a plan depends on.
func Complaints(gateway *gatewayv1.Gateway, ledger Ledger) []string {
	var complaints []string
	for _, status := range gateway.Status.Listeners {
		if entry, ours := ledger[status.Name]; !ours || entry.Refused != "" {
			continue
		}
		if word := wordOf(status.Conditions, gateway.Generation); word.Standing == Failing {
			complaints = append(complaints, word.key(status.Name))
		}
	}
	slices.Sort(complaints)
	return complaints
}
