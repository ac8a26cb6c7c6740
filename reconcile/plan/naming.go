package plan

import gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

// nameAll gives each claim its listener's name. Who has a name keeps it: first
// those that stand on the Gateway, then those the ledger remembers, and only
// then may a newcomer choose among what is left.
func nameAll(claims []claim, held holdings, userOwned []gatewayv1.Listener) map[gatewayv1.SectionName]claim {
	n := naming{byName: map[gatewayv1.SectionName]claim{}, barred: map[gatewayv1.SectionName]bool{}}
	for i := range userOwned {
		n.barred[userOwned[i].Name] = true
	}
	for _, known := range []func(claim) (gatewayv1.SectionName, bool){held.serving, held.remembered, n.firstFree} {
		var nameless []claim
		for _, c := range claims {
			if name, ok := known(c); !ok || !n.take(name, c) {
				nameless = append(nameless, c)
			}
		}
		claims = nameless
	}
	return n.byName
}

type naming struct {
	byName map[gatewayv1.SectionName]claim
	barred map[gatewayv1.SectionName]bool // borne by user-owned listeners
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
func (n naming) firstFree(c claim) (gatewayv1.SectionName, bool) {
	for i := 0; ; i++ {
		if name := c.candidate(i); n.free(name) {
			return name, true
		}
	}
}
