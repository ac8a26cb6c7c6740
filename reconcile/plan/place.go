package plan

import (
	"fmt"

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

// settle decides which claims get their place: first come user-owned listeners,
// then who holds a place already, then the older Certificate. Claims are given
// oldest first; those that get a place are returned, holders first.
func settle(userOwned []gatewayv1.Listener, held holdings, all []claim) ([]claim, []Rejection) {
	taken := map[place]string{}
	for i := range userOwned {
		taken[placeOf(&userOwned[i])] = fmt.Sprintf("listener %q, which is not ours", userOwned[i].Name)
	}
	var won []claim
	var lost []Rejection
	for _, c := range holdersFirst(held, all) {
		if holder, ok := taken[c.place()]; ok {
			lost = append(lost, c.reject(ReasonHostnameTaken,
				fmt.Sprintf("port %d of %s is taken by %s", c.port, c.hostname, holder)))
			continue
		}
		if len(userOwned)+len(won) >= maxListeners {
			lost = append(lost, c.reject(ReasonTooManyListeners,
				fmt.Sprintf("a Gateway carries at most %d listeners", maxListeners)))
			continue
		}
		taken[c.place()] = "Certificate " + c.certificate.String()
		won = append(won, c)
	}
	return won, lost
}

func holdersFirst(held holdings, all []claim) []claim {
	var holders, newcomers []claim
	for _, c := range all {
		if held.holds(c) {
			holders = append(holders, c)
		} else {
			newcomers = append(newcomers, c)
		}
	}
	return append(holders, newcomers...)
}

func (c claim) reject(reason Reason, message string) Rejection {
	return Rejection{Reason: reason, Certificate: c.certificate, Hostname: string(c.hostname), Message: message}
}
