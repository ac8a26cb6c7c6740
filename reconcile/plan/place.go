package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// place is what only one listener of a Gateway can have. HTTPS and TLS are one
// class: the API server admits both for one port and hostname, but a data plane
// cannot tell them apart before it has chosen a certificate.
type place struct {
	port     gatewayv1.PortNumber
	protocol gatewayv1.ProtocolType
	hostname gatewayv1.Hostname
}

func placeOf(listener *gatewayv1.Listener) place {
	p := place{port: listener.Port, protocol: listener.Protocol, hostname: hostnameOf(listener)}
	if p.protocol == gatewayv1.TLSProtocolType {
		p.protocol = gatewayv1.HTTPSProtocolType
	}
	return p
}

func (c claim) place() place {
	return place{port: c.port, protocol: gatewayv1.HTTPSProtocolType, hostname: c.hostname}
}

// settlement gives claims their places: first come user-owned listeners, then
// who holds a place already, then the older Certificate.
type settlement struct {
	terms     *terms
	held      *holdings
	userOwned []gatewayv1.Listener
	// pinned are ours, and stay as they stand whoever wants their places, those
	// where they are and those where they were to go.
	pinned []step

	// refused counts the newcomers that the API server will not have, in all and
	// of each Certificate.
	refused    int
	refusedFor map[types.NamespacedName]int
	// conflicted has one of the claims that have given way on a port.
	conflicted map[gatewayv1.PortNumber]conflict

	taken map[place]string                             // by whom
	plain map[gatewayv1.PortNumber]*gatewayv1.Listener // user-owned, without TLS
	won   []claim
	lost  []Finding
}

// settle takes the claims oldest first. Those that get a place are in won.
func (s *settlement) settle(all []claim) {
	s.taken = map[place]string{}
	s.plain = map[gatewayv1.PortNumber]*gatewayv1.Listener{}
	for _, pin := range s.pinned {
		s.taken[placeOf(pin.have)] = pin.holder()
		if pin.want != nil {
			s.taken[placeOf(pin.want)] = pin.holder()
		}
	}
	for i := range s.userOwned {
		listener := &s.userOwned[i]
		s.taken[placeOf(listener)] = fmt.Sprintf("listener %q, which is not ours", listener.Name)
		if isPlain(listener) {
			s.plain[listener.Port] = listener
		}
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b claim) int { return cmp.Compare(s.rank(a), s.rank(b)) })
	for _, c := range ranked {
		why := s.refusal(c)
		if why == nil {
			why = s.refusedTooOften(c)
		}
		if why != nil {
			s.lost = append(s.lost, *why)
			continue
		}
		s.taken[c.place()] = "Certificate " + c.certificate.String()
		s.won = append(s.won, c)
	}
}

func isPlain(listener *gatewayv1.Listener) bool {
	return listener.Protocol == gatewayv1.HTTPProtocolType || listener.Protocol == gatewayv1.TCPProtocolType
}

// rank puts those first whose listener stands in its place, then those whose
// listener has to move or was taken off, and newcomers last.
func (s *settlement) rank(c claim) int {
	_, h, ok := s.held.of(c)
	switch {
	case !ok:
		return 2
	case h.listener == nil || placeOf(h.listener) != c.place():
		return 1
	}
	return 0
}

// refusal returns why a claim cannot have its place; nil if it can.
func (s *settlement) refusal(c claim) *Finding {
	for _, objection := range objections {
		if why := objection(s, c); why != nil {
			return why
		}
	}
	return nil
}

// objections are asked in this order; the first gives the reason.
var objections = []func(*settlement, claim) *Finding{
	(*settlement).portConflict,
	(*settlement).inConflict,
	(*settlement).hostnameTaken,
	(*settlement).notReady,
	(*settlement).closed,
	(*settlement).tooMany,
}

// portConflict keeps a Certificate from breaking another protocol: a Gateway
// controller that finds HTTP and HTTPS on one port may serve neither (Gateway
// API, condition Conflicted with reason ProtocolConflict).
func (s *settlement) portConflict(c claim) *Finding {
	listener, ok := s.plain[c.port]
	if !ok {
		return nil
	}
	return c.finding(ReasonPortConflict, "port %d of the Gateway speaks %s by listener %q, which is not ours", c.port, listener.Protocol, listener.Name)
}

func (s *settlement) hostnameTaken(c claim) *Finding {
	holder, ok := s.taken[c.place()]
	if !ok {
		return nil
	}
	return c.finding(ReasonHostnameTaken, "port %d of %s is taken by %s", c.port, c.hostname, holder)
}

func (s *settlement) notReady(c claim) *Finding {
	if !c.waits || s.isHeld(c) {
		return nil
	}
	return c.finding(ReasonCertificateNotReady, "the Gateway takes a Certificate when it has been Ready (annotation %s), and this one has not", AttachKey)
}

func (s *settlement) closed(c claim) *Finding {
	if s.terms.closed == nil || s.isHeld(c) {
		return nil
	}
	return c.finding(s.terms.closed.Reason, "the Gateway takes nothing new: %s", s.terms.closed.Message)
}

func (s *settlement) tooMany(c claim) *Finding {
	ours := len(s.pinned) + len(s.won)
	switch {
	case ours >= s.terms.max && s.terms.max < maxListeners:
		return c.finding(ReasonTooManyListeners, "the Gateway takes at most %d listeners of ours, by its annotation %s", s.terms.max, MaxListenersKey)
	case len(s.userOwned)+ours >= maxListeners:
		return c.finding(ReasonTooManyListeners, "a Gateway carries at most %d listeners", maxListeners)
	}
	return nil
}

// grants reports whether the claim would have its place if the listener that is
// pinned for it were not there.
func (s *settlement) grants(c claim, pinned *gatewayv1.Listener) bool {
	without := *s
	without.taken = maps.Clone(s.taken)
	maps.DeleteFunc(without.taken, func(_ place, holder string) bool { return holder == step{have: pinned}.holder() })
	without.pinned = slices.DeleteFunc(slices.Clone(s.pinned), func(pin step) bool { return pin.have == pinned })
	return without.refusal(c) == nil
}

// holder is how a pinned listener is called to those who want its place.
func (s step) holder() string {
	return fmt.Sprintf("listener %q, which the API server will not have changed", s.name())
}

const (
	// MaxRefusedFor is after how many refusals no more of one Certificate's
	// newcomers are offered: each costs the API server some ten dry runs.
	MaxRefusedFor = 4
	// maxRefused is after how many in all only Certificates without a refusal are
	// offered, and no more are remembered: in the ledger each takes up to 400
	// bytes, and a Gateway's annotations may have 256 KiB.
	maxRefused = 128
)

func (s *settlement) refusedTooOften(c claim) *Finding {
	n := s.refusedFor[c.certificate]
	if s.isHeld(c) || n == 0 || n < MaxRefusedFor && s.refused < maxRefused {
		return nil
	}
	return c.finding(ReasonRefusedByServer, "the API server has refused %d listeners of this Certificate and %d in all; no more are offered until the Certificate or the Gateway's spec changes", n, s.refused)
}

// isHeld reports whether the claim has a listener, on whatever port, or had one
// that somebody has taken off.
func (s *settlement) isHeld(c claim) bool {
	_, _, ok := s.held.of(c)
	return ok
}

func (c claim) finding(reason Reason, format string, args ...any) *Finding {
	return &Finding{Reason: reason, Certificate: c.certificate, Hostname: string(c.hostname), Message: fmt.Sprintf(format, args...)}
}
