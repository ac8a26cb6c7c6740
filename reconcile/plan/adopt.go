package plan

import (
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// authors finds the claims that can have made a listener.
type authors struct {
	byHostname    map[gatewayv1.Hostname][]claim
	byCertificate map[types.NamespacedName][]claim
}

func authorsOf(claims []claim) authors {
	a := authors{map[gatewayv1.Hostname][]claim{}, map[types.NamespacedName][]claim{}}
	for _, c := range claims {
		a.byHostname[c.hostname] = append(a.byHostname[c.hostname], c)
		a.byCertificate[c.certificate] = append(a.byCertificate[c.certificate], c)
	}
	return a
}

// wishOf returns what the ledger's listener of that name is for. That is told by
// the name and not by the hostname that the listener bears now, which somebody
// may have edited; the latter counts where the Certificate asks for nothing that
// goes with the name. False means that the ledger cannot be right.
func (a authors) wishOf(name gatewayv1.SectionName, entry Entry, hostname gatewayv1.Hostname) (wish, bool) {
	for _, c := range a.byCertificate[entry.Certificate] {
		if c.entry(name).Hostname == entry.Hostname && c.mayBear(name) {
			return c.wish(), true
		}
	}
	as := claim{certificate: entry.Certificate, hostname: hostname}
	return as.wish(), hostname != "" && as.mayBear(name)
}

// of returns the claim that would be given a listener of just this name,
// hostname and reference. Anything less could be a user's.
func (a authors) of(listener *gatewayv1.Listener, gatewayNamespace string) (claim, bool) {
	for _, c := range a.byHostname[hostnameOf(listener)] {
		want := c.listener(listener.Name, gatewayNamespace)
		if c.mayBear(listener.Name) && sameReferences(listener, &want, gatewayNamespace) {
			return c, true
		}
	}
	return claim{}, false
}
