package reconcile

import (
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Policy is one version of what the people who run the handler have said. A run
// goes by one from start to end.
type Policy struct {
	// Generation tells versions apart; a newer one is greater.
	Generation int64
	// Defaults hold where a Gateway's owner says nothing.
	Defaults plan.Defaults
	// MaxGather bounds the pause between two patches of one Gateway in a burst;
	// 0 is none. See [DefaultMaxGather].
	MaxGather time.Duration
	// OrdersVersions overrides what the cluster says of itself, if it is not nil.
	OrdersVersions *bool
}

// overtook reports whether another policy than this one is in force.
func (r *Reconciler) overtook(policy Policy) bool { return r.policy().Generation != policy.Generation }
