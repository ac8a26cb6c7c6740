package plan

import (
	"encoding/json"
	"slices"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// conflict is a claim that gives way to the Gateway's owner: the controller has
// found its listener in conflict, and one of the owner's is there to be the cause.
type conflict struct {
	claim
	name  gatewayv1.SectionName
	rival gatewayv1.Listener
	// digest is of what has to change for it to be offered again.
	digest string
	// words are the controller's; empty where only the ledger remembers them.
	words string
}

// setApart takes out of the claims those that are in conflict, by the status or by
// the ledger's memory of one.
//
// Once set apart a claim stays so while its port and the owner's listeners there
// are as they were, whatever the controller says next and whatever else of ours
// comes or goes. So a controller cannot make a listener come and go: each of its
// words takes something off for good, and there is only so much.
func (a *arrangement) setApart(ledger Ledger) {
	theirs := rivalsByPort(a.held.userOwned(a.gateway.Spec.Listeners))
	if len(theirs) == 0 {
		return
	}
	refused := a.held.refused(ledger)
	a.claims = slices.DeleteFunc(a.claims, func(c claim) bool {
		rivals := theirs[c.port]
		if len(rivals) == 0 {
			return false
		}
		name, words := a.foundInConflict(c)
		known, remembered := refused[c.wish()]
		if name == "" && !remembered { // the digest is dear, and there may be very many claims
			return false
		}
		x := conflict{claim: c, name: name, rival: rivals[0], words: words, digest: conflictDigest(a.gateway.Spec, c.port, rivals)}
		if remembered && ledger[known].Refused == x.digest {
			x.name, x.words = known, ""
		}
		if x.name != "" {
			a.conflicts = append(a.conflicts, x)
		}
		return x.name != ""
	})
}

// foundInConflict returns the name of the claim's listener if the controller finds
// it in conflict in the place that it is to keep, with the controller's words.
func (a *arrangement) foundInConflict(c claim) (gatewayv1.SectionName, string) {
	name, h, ok := a.held.of(c)
	if !ok || h.listener == nil || placeOf(h.listener) != c.place() {
		return "", ""
	}
	word := WordOf(a.gateway, name)
	if word.Standing != Failing || word.Reason != ReasonListenerConflicted {
		return "", ""
	}
	return name, word.String()
}

// rivalsByPort returns the user-owned listeners that can be in conflict with ours
// on their port and that the planner lets stand beside them: those of another
// protocol. HTTP and TCP it knows itself to be in the way, and a hostname of ours
// is never beside a user-owned one that is the same.
func rivalsByPort(userOwned []gatewayv1.Listener) map[gatewayv1.PortNumber][]gatewayv1.Listener {
	rivals := map[gatewayv1.PortNumber][]gatewayv1.Listener{}
	for i := range userOwned {
		if listener := &userOwned[i]; listener.Protocol != gatewayv1.HTTPSProtocolType && !isPlain(listener) {
			rivals[listener.Port] = append(rivals[listener.Port], *listener)
		}
	}
	return rivals
}

// conflictDigest is of a port, of the owner's listeners there, and of what else of
// the spec is the owner's. Hostname and Secret of ours bear on no conflict of
// protocols.
func conflictDigest(spec gatewayv1.GatewaySpec, port gatewayv1.PortNumber, rivals []gatewayv1.Listener) string {
	spec.Listeners = rivals
	text, err := json.Marshal([]any{string(ReasonListenerConflicted), port, spec})
	if err != nil {
		panic("a Gateway that came as JSON must marshal: " + err.Error())
	}
	return hexDigest(string(text), refusedDigestLength)
}

func (x conflict) finding() Finding {
	f := x.claim.finding(ReasonListenerConflicted,
		"the Gateway's controller has found this listener in conflict with %q, which is not ours and speaks %s on port %d; it gives way until that one or its own port changes",
		x.rival.Name, x.rival.Protocol, x.rival.Port)
	if x.words != "" {
		f.Message += ". The controller says: " + x.words
	}
	f.Listener, f.Key = x.name, string(x.name)+" "+x.digest
	return *f
}

// giveWay remembers the conflicts whose listeners are off, beside refusals of the
// API server: the digest tells one from the other.
func (m *merged) giveWay(conflicts []conflict) {
	stands := map[gatewayv1.SectionName]bool{}
	for i := range m.listeners {
		stands[m.listeners[i].Name] = true
	}
	for i, x := range conflicts {
		m.rejections = append(m.rejections, x.finding())
		if stands[x.name] || i >= maxRefused {
			continue // it may not go yet, or others on its port keep it out
		}
		entry := x.entry(x.name)
		entry.Refused = x.digest
		m.ledger[x.name] = entry
	}
}

// inConflict keeps newcomers off a port on which the controller has found others
// of ours in conflict: it is the port that cannot speak both protocols.
func (s *settlement) inConflict(c claim) *Finding {
	x, ok := s.conflicted[c.port]
	if _, h, held := s.held.of(c); !ok || held && (h.listener == nil || h.listener.Port == c.port) {
		return nil
	}
	return c.finding(ReasonListenerConflicted,
		"the Gateway's controller has found listeners of ours on port %d in conflict with listener %q, which is not ours and speaks %s there",
		c.port, x.rival.Name, x.rival.Protocol)
}
