package plan

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// holding is a listener of ours, as the ledger has it.
type holding struct {
	wish wish
	// listener is as it stands, whatever somebody may have edited on it; nil when
	// somebody has taken it off, as kubectl apply of the original manifest does.
	listener *gatewayv1.Listener
}

// holdings are what is ours on a Gateway.
type holdings struct {
	byName  map[gatewayv1.SectionName]holding
	byWish  map[wish]gatewayv1.SectionName
	writers authors
	// corrections say where the ledger is wrong.
	corrections []Finding
}

// wish is what a listener of ours is for, and what its name depends on.
type wish struct {
	certificate types.NamespacedName
	hostname    gatewayv1.Hostname
}

// holdingsOf tells our listeners from user-owned ones.
//
// The ledger is believed only where it agrees with what stands in the spec: the
// name must be one that its Certificate can have given to a hostname that it
// asks for, or to the listener's own. Else a slip in an annotation could remove
// a user's listener. What the ledger does not name is taken over if its name,
// hostname and reference are what a claim would be given, because a ledger can
// be lost, with a backup or by kubectl replace.
func holdingsOf(gateway *gatewayv1.Gateway, ledger Ledger, claims []claim) *holdings {
	h := &holdings{byName: map[gatewayv1.SectionName]holding{}, byWish: map[wish]gatewayv1.SectionName{}, writers: authorsOf(claims)}
	unseen := map[gatewayv1.SectionName]Entry{}
	for name, entry := range ledger {
		if entry.Refused == "" {
			unseen[name] = entry
		}
	}
	for i := range gateway.Spec.Listeners {
		listener := &gateway.Spec.Listeners[i]
		entry, named := unseen[listener.Name]
		delete(unseen, listener.Name)
		if w, ok := h.writers.wishOf(listener.Name, entry, hostnameOf(listener)); named && ok {
			h.enter(listener.Name, holding{w, listener})
			continue
		}
		if c, ok := h.writers.of(listener, gateway.Namespace); ok {
			h.enter(listener.Name, holding{c.wish(), listener})
			h.correct(listener, c.certificate, "listener %s is what Certificate %s asks for, and the ledger did not say so; it is taken over", listener.Name, c.certificate)
		} else if named {
			h.correct(listener, entry.Certificate, "the ledger says that listener %s came from Certificate %s, which it cannot have; it is its owner's", listener.Name, entry.Certificate)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unseen)) {
		if w, ok := h.writers.wishOf(name, unseen[name], ""); ok {
			h.enter(name, holding{wish: w})
			continue
		}
		h.corrections = append(h.corrections, Finding{
			Reason: ReasonLedgerCorrected, Listener: name,
			Message: fmt.Sprintf("the ledger named listener %.64s, which is not on the Gateway and which Certificate %.128s does not ask for", name, unseen[name].Certificate),
		})
	}
	return h
}

// refused returns the names of what is not ours because it was refused.
func (h *holdings) refused(ledger Ledger) map[wish]gatewayv1.SectionName {
	names := map[wish]gatewayv1.SectionName{}
	for _, name := range slices.Sorted(maps.Keys(ledger)) {
		if ledger[name].Refused == "" {
			continue
		}
		if w, ok := h.writers.wishOf(name, ledger[name], ""); ok {
			names[w] = name
		}
	}
	return names
}

// enter takes up a listener of ours. Of two for one wish the first has it.
func (h *holdings) enter(name gatewayv1.SectionName, held holding) {
	h.byName[name] = held
	if _, double := h.byWish[held.wish]; !double {
		h.byWish[held.wish] = name
	}
}

func (h *holdings) correct(listener *gatewayv1.Listener, certificate types.NamespacedName, format string, args ...any) {
	h.corrections = append(h.corrections, Finding{
		Reason: ReasonLedgerCorrected, Certificate: certificate, Listener: listener.Name, Hostname: string(hostnameOf(listener)),
		Message: fmt.Sprintf(format, args...),
	})
}

// userOwned returns the listeners that are not ours.
func (h *holdings) userOwned(listeners []gatewayv1.Listener) []gatewayv1.Listener {
	var theirs []gatewayv1.Listener
	for _, listener := range listeners {
		if _, ours := h.byName[listener.Name]; !ours {
			theirs = append(theirs, listener)
		}
	}
	return theirs
}

// of returns what is held for a claim, whether or not it stands, and its name.
func (h *holdings) of(c claim) (gatewayv1.SectionName, holding, bool) {
	name, ok := h.byWish[c.wish()]
	return name, h.byName[name], ok
}

func hostnameOf(listener *gatewayv1.Listener) gatewayv1.Hostname {
	if listener.Hostname == nil {
		return ""
	}
	return *listener.Hostname
}
