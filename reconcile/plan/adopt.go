package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// authors finds the claims that can have made a listener.
type authors struct {
	byHostname    map[gatewayv1.Hostname][]claim
	byCertificate map[types.NamespacedName][]claim
	byName        map[gatewayv1.SectionName][]claim // that most likely bear it
}

func authorsOf(claims []claim) authors {
	a := authors{map[gatewayv1.Hostname][]claim{}, map[types.NamespacedName][]claim{}, map[gatewayv1.SectionName][]claim{}}
	for _, c := range claims {
		a.byHostname[c.hostname] = append(a.byHostname[c.hostname], c)
		a.byCertificate[c.certificate] = append(a.byCertificate[c.certificate], c)
		for _, name := range slices.Compact([]gatewayv1.SectionName{c.names.plain, c.names.hashed, c.names.legacy}) {
			a.byName[name] = append(a.byName[name], c)
		}
	}
	return a
}

// wishOf returns what the ledger's listener of that name is for; false means
// that the ledger cannot be right.
//
// Where the name goes with the hostname that the listener bears, that is it.
// Else somebody has edited the hostname, or taken the listener off, and it is
// what the Certificate asks for that goes with the name and the ledger's word.
func (a authors) wishOf(name gatewayv1.SectionName, entry Entry, hostname gatewayv1.Hostname) (wish, bool) {
	as := claimFor(entry.Certificate, hostname)
	if hostname != "" && as.mostLikelyBears(name) {
		return as.wish(), true
	}
	for _, c := range a.byName[name] {
		if c.certificate == entry.Certificate && c.entry(name).Hostname == entry.Hostname {
			return c.wish(), true
		}
	}
	if hostname != "" && as.mayBearOneOfMany(name) {
		return as.wish(), true
	}
	for _, c := range a.byCertificate[entry.Certificate] {
		if c.mayBearOneOfMany(name) {
			return c.wish(), true
		}
	}
	return wish{}, false
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
