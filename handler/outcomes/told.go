package outcomes

import (
	"hash/maphash"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// told remembers of each Gateway what was told of it last, so that a standing
// refusal is not told anew by every run.
type told struct {
	last *cache.LRUExpireCache // of digests by Gateway, for repeatAfter
}

func newTold() *told { return &told{cache.NewLRUExpireCache(maxTold)} }

// isNews reports whether an outcome is to be told, and takes note of it.
func (t *told) isNews(o reconcile.Outcome) bool {
	if _, tells := typeOf(o); !tells {
		t.settle(o)
		return false
	}
	now := digestOf(o) ^ plannedDigest(o)
	last, known := t.last.Get(o.Gateway)
	changed := o.Verdict == reconcile.Patched || len(o.Written()) > 0
	if known && last == now && !changed {
		return false
	}
	t.last.Add(o.Gateway, now, repeatAfter)
	return true
}

// settle forgets what was amiss once it no longer is: should it come back, that
// is news.
func (t *told) settle(o reconcile.Outcome) {
	if o.Verdict != reconcile.Covered && !refuses(o) && o.Err == nil {
		t.forget(o.Gateway)
	}
}

// forget has the next outcome of the Gateway told, whatever it says.
func (t *told) forget(gateway types.NamespacedName) { t.last.Remove(gateway) }

var digestSeed = maphash.MakeSeed()

// digestOf is the same for outcomes that say the same of what is not done, in
// whatever words. What was changed is not in it.
func digestOf(o reconcile.Outcome) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	verdict := o.Verdict
	if verdict == reconcile.Patched {
		verdict = reconcile.Unchanged // which is what the next one finds
	}
	maphash.WriteComparable(&h, verdict)
	maphash.WriteComparable(&h, classOf(o.Err))
	findings := o.Plan.Rejections
	if o.Verdict == reconcile.GatewayMissing {
		findings = o.Notes
	}
	for _, f := range findings {
		f.Message = ""
		maphash.WriteComparable(&h, f)
	}
	return h.Sum64()
}
