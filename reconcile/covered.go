package reconcile

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// ordering reports whether one resourceVersion is at most another of the same
// resource.
type ordering func(version, reached string) bool

// coverage remembers what successful runs have seen, so that an event that tells
// no more than that costs nothing: the echo of our own patch, the backlog of a
// burst that one run has dealt with, status writes. It only ever says that
// nothing needs to be done; a process that has just started says it of nothing.
type coverage struct {
	mu        sync.Mutex
	byGateway map[types.NamespacedName]seen
	// ledgersAt is a version of the Certificates that had been reached when all
	// Gateways that have a ledger were read: byGateway names every one that may
	// have carried some Certificate's listeners then. Another process may have
	// written one since. Empty if they have not been read.
	ledgersAt string
	// reached is the newest version that a LIST of Certificates had reached.
	reached string
	moves   moves
	policy  int64 // the generation that all of byGateway was seen under
}

// under forgets what runs have seen by an older policy: by a newer one it may not
// be right. The sweep that new settings bring with them may fail.
func (c *coverage) under(policy Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if policy.Generation > c.policy {
		c.policy, c.byGateway, c.ledgersAt = policy.Generation, nil, ""
	}
}

// begin and end enclose a run; told is for a change that has come, before it is
// looked up.
func (c *coverage) begin(gateway types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves.begin(gateway)
}

func (c *coverage) end(gateway types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves.end(gateway)
}

func (c *coverage) told(change Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves.note(change)
}

// seen is what the last successful run for a Gateway has seen and left.
type seen struct {
	// certificates is the version that the Certificate LISTs had reached; empty
	// if only the ledger is known.
	certificates string
	// left is the Gateway as the run left it; zero if only the ledger is known.
	left   mark
	ledger plan.Ledger
}

// ran takes note of a run's end. A version that is behind the one before means
// that the API server's history is another now, as after a restore from a
// backup; then nothing that was seen counts.
func (c *coverage) ran(o Outcome, atMost ordering) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.byGateway[o.Gateway]
	if o.swept && c.moves.underWay(o.Gateway) {
		return // the run may have read less than the sweep, and is yet to write
	}
	if o.swept && was.certificates != "" && !atMost(was.left.resourceVersion, o.left.ResourceVersion) {
		return // a run beside the sweep has seen more
	}
	switch {
	case o.unfinished, o.overtaken, o.Verdict == Patched && c.moves.leaveBehind(o, atMost):
		// Not to be covered: the echo of our patch goes on with it.
		c.remember(o.Gateway, seen{ledger: ledgerOf(o.left)})
	case o.Verdict == Unchanged, o.Verdict == Patched, o.Verdict == Paused, o.Verdict == DryRun:
		if !o.swept && was.certificates != "" && !atMost(was.certificates, o.certificates) && atMost(o.certificates, was.certificates) {
			c.byGateway, c.ledgersAt, c.reached = nil, "", ""
		}
		c.reach(o.certificates, atMost)
		c.remember(o.Gateway, seen{certificates: o.certificates, left: markOf(o), ledger: ledgerOf(o.left)})
	case o.Verdict == GatewayMissing:
		delete(c.byGateway, o.Gateway)
	default: // something may have been written, and the answer lost
		delete(c.byGateway, o.Gateway)
		c.ledgersAt = ""
	}
}

// reach takes note of a version of the Certificates.
func (c *coverage) reach(version string, atMost ordering) {
	if c.reached == "" || atMost(c.reached, version) {
		c.reached = version
	}
}

// reachedWith returns a version of the Certificates that has been reached: the
// newest that is known, or the change's if that is not older.
func (c *coverage) reachedWith(change Change, atMost ordering) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if change.Kind == Certificate && (c.reached == "" || atMost(c.reached, change.Object.ResourceVersion)) {
		return change.Object.ResourceVersion
	}
	return c.reached
}

// forget is for a Gateway that is gone.
func (c *coverage) forget(gateway types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byGateway, gateway)
}

func (c *coverage) remember(name types.NamespacedName, s seen) {
	if _, known := c.byGateway[name]; !known && len(c.byGateway) >= maxSeen {
		c.byGateway, c.ledgersAt = nil, ""
	}
	if c.byGateway == nil {
		c.byGateway = map[types.NamespacedName]seen{}
	}
	c.byGateway[name] = s
}

// sawLedgers takes note of all Gateways that have a ledger, read after the
// Certificates had reached that version.
func (c *coverage) sawLedgers(managed []gatewayv1.Gateway, reached string, atMost ordering) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledgersAt = ""
	if len(managed) > maxSeen/2 {
		return
	}
	for i := range managed {
		name := plan.NameOf(&managed[i])
		known := c.byGateway[name]
		if known.certificates == "" || !atMost(managed[i].ResourceVersion, known.left.resourceVersion) {
			known.ledger = ledgerOf(managed[i].ObjectMeta) // another process has written it
			c.remember(name, known)
		}
	}
	if len(c.byGateway) >= len(managed) {
		c.ledgersAt = reached
	}
}

// ledgerOf returns what of a Gateway's ledger can be read; never nil.
func ledgerOf(gateway metav1.ObjectMeta) plan.Ledger {
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	if err != nil || ledger == nil {
		return plan.Ledger{}
	}
	return ledger
}

// covers reports whether no Gateway needs a run for the change.
func (c *coverage) covers(change Change, atMost ordering) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	target, covered := c.target(change, atMost)
	return covered && !c.mayHaveMoved(change, target, atMost)
}

// coversFor reports whether the Gateway needs no run for the change.
func (c *coverage) coversFor(gateway types.NamespacedName, change Change, atMost ordering) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	target, covered := c.target(change, atMost)
	return covered && target == gateway
}

// target returns the Gateway that the change names, and whether that one needs no
// run for it.
func (c *coverage) target(change Change, atMost ordering) (_ types.NamespacedName, covered bool) {
	switch change.Kind {
	case Gateway:
		return plan.NameOf(change.Object), c.coversGateway(change, atMost)
	case Certificate:
		target, ok := plan.Target(change.Object)
		return target, ok && c.coversCertificate(target, change, atMost)
	default:
		return types.NamespacedName{}, false
	}
}

// empty reports whether there is nothing that could cover anything.
func (c *coverage) empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byGateway) == 0
}

func (c *coverage) coversCertificate(target types.NamespacedName, change Change, atMost ordering) bool {
	reached := c.byGateway[target].certificates
	return reached != "" && atMost(change.Object.ResourceVersion, reached)
}

// mayHaveMoved reports whether the update can have pointed the Certificate here
// from another Gateway, which then has to be looked at too.
func (c *coverage) mayHaveMoved(change Change, target types.NamespacedName, atMost ordering) bool {
	if change.Kind != Certificate || change.Operation != Update {
		return false
	}
	if c.ledgersAt == "" || !atMost(change.Object.ResourceVersion, c.ledgersAt) {
		return true
	}
	for name, other := range c.byGateway {
		if name != target && other.ledger.Names(plan.NameOf(change.Object)) {
			return true
		}
	}
	return false
}

// coversGateway holds a status write for as old as what the run left, unless the
// controller has something else to say against our listeners.
func (c *coverage) coversGateway(change Change, atMost ordering) bool {
	left := c.byGateway[plan.NameOf(change.Object)].left
	if change.Operation == Delete || left.uid == "" || left.uid != change.Object.UID {
		return false
	}
	if atMost(change.Object.ResourceVersion, left.resourceVersion) {
		return true
	}
	return left.generation == change.Object.Generation && change.Object.DeletionTimestamp == nil &&
		left.metadata == metadataDigest(change.Object.ObjectMeta) &&
		left.complaints == change.complaints && !change.unreadable
}
