package outcomes

import (
	"hash/maphash"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// plannedDigest is the same for dry runs that would change the same, and 0 for
// what is none: a dry run that would do something else than the last is news.
func plannedDigest(o reconcile.Outcome) uint64 {
	if o.Verdict != reconcile.DryRun {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for _, c := range o.Planned() {
		_, why := c.Impact() // and by it which fields
		maphash.WriteComparable(&h, [...]string{string(c.Action), string(c.Listener), why})
	}
	return h.Sum64()
}
