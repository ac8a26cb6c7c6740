package plan

import (
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// holding is a listener of ours on the Gateway as it stands.
type holding struct {
	certificate types.NamespacedName
	// listener is nil when the ledger remembers it but somebody has taken it
	// off the Gateway, as kubectl apply of the original manifest does.
	listener *gatewayv1.Listener
}

// holdings are what is ours on a Gateway.
type holdings struct {
	byName map[gatewayv1.SectionName]holding
	// byWish finds the listener that serves a Certificate's hostname.
	byWish map[wish]gatewayv1.SectionName
	// rivals counts the claims of a Certificate for each plain name.
	rivals map[rivalry]int
}

// rivalry is a plain name that several hostnames of one Certificate may share.
type rivalry struct {
	certificate types.NamespacedName
	name        gatewayv1.SectionName
}

// wish is what a listener's name depends on.
type wish struct {
	certificate types.NamespacedName
	hostname    gatewayv1.Hostname
}

// holdingsOf tells our listeners from user-owned ones.
//
// The ledger is believed only where the name is one that its Certificate can
// have been given: else a slip in an annotation could remove a user's listener.
// Where there is no ledger (it was lost with a backup or kubectl replace, or
// cannot be read) a listener is taken over if it is exactly what a claim would
// be given. A ledger that is there is the last word on what it does not name.
func holdingsOf(gateway *gatewayv1.Gateway, ledger Ledger, claims []claim) holdings {
	h := holdings{
		byName: map[gatewayv1.SectionName]holding{},
		byWish: map[wish]gatewayv1.SectionName{},
		rivals: map[rivalry]int{},
	}
	for _, c := range claims {
		h.rivals[rivalry{c.certificate, c.candidate(0)}]++
	}
	for name, certificate := range ledger {
		if mayBear(name, certificate.Name) {
			h.byName[name] = holding{certificate: certificate}
		}
	}
	for i := range gateway.Spec.Listeners {
		listener := &gateway.Spec.Listeners[i]
		if known, ours := h.byName[listener.Name]; ours {
			h.stand(listener, known.certificate)
		}
	}
	if len(ledger) == 0 {
		h.adopt(gateway, claims)
	}
	return h
}

// stand enters a listener of ours. Of two for one wish the first has it.
func (h holdings) stand(listener *gatewayv1.Listener, certificate types.NamespacedName) {
	h.byName[listener.Name] = holding{certificate: certificate, listener: listener}
	w := wish{certificate, hostnameOf(listener)}
	if _, double := h.byWish[w]; !double {
		h.byWish[w] = listener.Name
	}
}

// userOwned returns the listeners that are not ours.
func (h holdings) userOwned(listeners []gatewayv1.Listener) []gatewayv1.Listener {
	var theirs []gatewayv1.Listener
	for _, listener := range listeners {
		if _, ours := h.byName[listener.Name]; !ours {
			theirs = append(theirs, listener)
		}
	}
	return theirs
}

// serving returns the name under which the Certificate's listener for the
// claim's hostname stands on the Gateway.
func (h holdings) serving(c claim) (gatewayv1.SectionName, bool) {
	name, ok := h.byWish[c.wish()]
	return name, ok
}

// remembered returns the name that the ledger keeps for the claim although no
// listener of that hostname stands on the Gateway. The hashed name comes first:
// it tells the hostname, which the plain one may share with another.
func (h holdings) remembered(c claim) (gatewayv1.SectionName, bool) {
	for _, name := range []gatewayv1.SectionName{c.candidate(1), c.candidate(0)} {
		if known, ok := h.byName[name]; ok && known.certificate == c.certificate {
			return name, true
		}
	}
	return "", false
}

// holds reports whether the claim's place is the Certificate's own already. A
// plain name that the ledger remembers says nothing where another hostname of
// the Certificate may have borne it.
func (h holdings) holds(c claim) bool {
	if name, ok := h.serving(c); ok {
		return h.byName[name].listener.Port == c.port
	}
	name, ok := h.remembered(c)
	if !ok || h.byName[name].listener != nil {
		return false
	}
	return name == c.candidate(1) || h.rivals[rivalry{c.certificate, name}] == 1
}

func hostnameOf(listener *gatewayv1.Listener) gatewayv1.Hostname {
	if listener.Hostname == nil {
		return ""
	}
	return *listener.Hostname
}
