package plan

import gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

// naming gives each claim its listener's name.
type naming struct {
	byName map[gatewayv1.SectionName]claim
	// barred are borne by user-owned listeners, or kept for another claim.
	barred map[gatewayv1.SectionName]bool
}

// nameAll names the claims. Who has a name keeps it, whether or not its listener
// stands just now; only then may a newcomer choose among what is left.
func nameAll(claims []claim, held *holdings, barred map[gatewayv1.SectionName]bool) map[gatewayv1.SectionName]claim {
	n := naming{byName: map[gatewayv1.SectionName]claim{}, barred: barred}
	var newcomers []claim
	for _, c := range claims {
		if name, _, ok := held.of(c); !ok || !n.take(name, c) {
			newcomers = append(newcomers, c)
		}
	}
	for _, c := range newcomers {
		n.take(n.firstFree(c), c)
	}
	return n.byName
}

func (n naming) take(name gatewayv1.SectionName, c claim) bool {
	if !n.free(name) {
		return false
	}
	n.byName[name] = c
	return true
}

func (n naming) free(name gatewayv1.SectionName) bool {
	_, taken := n.byName[name]
	return !taken && !n.barred[name]
}

// firstFree ends because candidates are endless and the names taken are not.
func (n naming) firstFree(c claim) gatewayv1.SectionName {
	for i := 0; ; i++ {
		if name := c.candidate(i); n.free(name) {
			return name
		}
	}
}
