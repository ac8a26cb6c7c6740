package reconcile

import (
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// moves remembers where updates have pointed Certificates to while runs are under
// way. A run that has read a Certificate before it was pointed elsewhere writes
// its listener all the same, and who was told of the update may have looked at
// that Gateway's ledger too early to see it.
type moves struct {
	runs   map[types.NamespacedName]int // how many are under way
	target map[types.NamespacedName]move
	// lost is set once there were more than could be kept.
	lost bool
}

type move struct {
	resourceVersion string
	gateway         types.NamespacedName // zero: to none
}

func (m *moves) begin(gateway types.NamespacedName) {
	if m.runs == nil {
		m.runs = map[types.NamespacedName]int{}
	}
	m.runs[gateway]++
}

func (m *moves) end(gateway types.NamespacedName) {
	if m.runs[gateway]--; m.runs[gateway] == 0 {
		delete(m.runs, gateway)
	}
	if len(m.runs) == 0 {
		m.target, m.lost = nil, false
	}
}

// underWay reports whether a run for the Gateway is.
func (m *moves) underWay(gateway types.NamespacedName) bool { return m.runs[gateway] > 0 }

func (m *moves) note(change Change) {
	if len(m.runs) == 0 || change.Kind != Certificate || change.Operation != Update {
		return
	}
	if m.target == nil {
		m.target = map[types.NamespacedName]move{}
	}
	name := plan.NameOf(change.Object)
	if _, known := m.target[name]; !known && len(m.target) >= maxMoves {
		m.lost = true
		return
	}
	gateway, _ := plan.Target(change.Object)
	m.target[name] = move{change.Object.ResourceVersion, gateway}
}

// leaveBehind reports whether the Gateway, as a run has left it, may carry a
// Certificate that was pointed elsewhere after the run had read it.
func (m *moves) leaveBehind(o Outcome, atMost ordering) bool {
	if m.lost {
		return true
	}
	ledger := ledgerOf(o.left)
	for certificate, to := range m.target {
		if to.gateway != o.Gateway && !atMost(to.resourceVersion, o.certificates) && ledger.Names(certificate) {
			return true
		}
	}
	return false
}
