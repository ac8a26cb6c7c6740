package reconcile

import (
	"maps"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// numbers is the ordering of an API server that promises one, equal that of one
// that does not.
func numbers(a, b string) bool {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return a == b || errX == nil && errY == nil && x <= y
}

func equal(a, b string) bool { return a == b }

// metadata is that of infra/edge with a ledger of these names.
func metadata(resourceVersion string, ledger string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: "infra", Name: "edge", UID: "1", Generation: 3, ResourceVersion: resourceVersion,
		Labels: map[string]string{"a": "b"}, Annotations: map[string]string{plan.LedgerKey: ledger},
	}
}

// covering has seen Certificates up to version 50 and left edge at version 60,
// and knows that no other Gateway has a ledger.
func covering(verdict Verdict) *coverage {
	c := &coverage{}
	c.sawLedgers(nil, "50", numbers)
	o := left("60")
	o.Verdict = verdict
	c.ran(o, numbers)
	return c
}

// left is how a run that has seen Certificates up to version 50 has left edge.
func left(resourceVersion string) Outcome {
	return Outcome{Gateway: edgeName, Verdict: Patched, certificates: "50", left: metadata(resourceVersion, `{"auto-app-x":"infra/app"}`)}
}

func nothing(*metav1.ObjectMeta) {}

func certificateChange(operation Operation, resourceVersion, gateway string) Change {
	return Change{Kind: Certificate, Operation: operation, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "infra", Name: "app", ResourceVersion: resourceVersion, Labels: map[string]string{plan.GatewayNameKey: gateway},
	}}}
}

func gatewayChange(operation Operation, mutate func(*metav1.ObjectMeta)) Change {
	meta := metadata("60", `{"auto-app-x":"infra/app"}`)
	meta.Labels, meta.Annotations = maps.Clone(meta.Labels), maps.Clone(meta.Annotations)
	mutate(&meta)
	return Change{Kind: Gateway, Operation: operation, Object: &metav1.PartialObjectMetadata{ObjectMeta: meta}}
}

func TestWhatARunHasSeenNeedsNoOther(t *testing.T) {
	newer := func(m *metav1.ObjectMeta) { m.ResourceVersion = "70" }
	and := func(change func(*metav1.ObjectMeta)) func(*metav1.ObjectMeta) {
		return func(m *metav1.ObjectMeta) { newer(m); change(m) }
	}
	for _, tc := range []struct {
		name   string
		change Change
		want   bool
	}{
		{"a Certificate's add that the LISTs had reached", certificateChange(Add, "50", "edge"), true},
		{"an older one", certificateChange(Add, "9", "edge"), true},
		{"one that they had not reached", certificateChange(Add, "51", "edge"), false},
		{"an update", certificateChange(Update, "50", "edge"), true},
		{"a deletion", certificateChange(Delete, "50", "edge"), true},
		{"one for another Gateway", certificateChange(Add, "50", "other"), false},
		{"one for no Gateway", certificateChange(Update, "50", ""), false},
		{"one without a version", certificateChange(Add, "", "edge"), false},
		{"the echo of our patch", gatewayChange(Update, nothing), true},
		{"a status write", gatewayChange(Update, newer), true},
		{"a write of the spec", gatewayChange(Update, and(func(m *metav1.ObjectMeta) { m.Generation++ })), false},
		{"a write of an annotation", gatewayChange(Update, and(func(m *metav1.ObjectMeta) { m.Annotations["x"] = "y" })), false},
		{"a write of a label", gatewayChange(Update, and(func(m *metav1.ObjectMeta) { m.Labels["a"] = "c" })), false},
		{"the mark of a deletion to come", gatewayChange(Update, and(func(m *metav1.ObjectMeta) { m.DeletionTimestamp = &metav1.Time{} })), false},
		{"one made anew under the name", gatewayChange(Add, and(func(m *metav1.ObjectMeta) { m.UID = "2" })), false},
		{"a sweep", Change{Kind: Everything}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := covering(Patched).covers(tc.change, numbers); got != tc.want {
				t.Errorf("covered: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestWhereVersionsHaveNoOrderOnlyTheSameOneIsCovered(t *testing.T) {
	c := covering(Unchanged)
	if !c.covers(certificateChange(Add, "50", "edge"), equal) || c.covers(certificateChange(Add, "49", "edge"), equal) {
		t.Error("want version 50 covered and 49 not")
	}
}

func TestOnlyARunThatEndedWellCovers(t *testing.T) {
	for verdict, want := range map[Verdict]bool{
		Unchanged: true, Patched: true, Paused: true, DryRun: true, GatewayMissing: false, Refused: false, TryAgain: false,
	} {
		if got := covering(verdict).covers(certificateChange(Add, "50", "edge"), numbers); got != want {
			t.Errorf("after %s: covered %v, want %v", verdict, got, want)
		}
	}
}

func TestAFailureAfterASuccessCoversNothing(t *testing.T) {
	c := covering(Patched)
	c.ran(Outcome{Gateway: edgeName, Verdict: TryAgain}, numbers)
	if c.covers(certificateChange(Add, "50", "edge"), numbers) || c.covers(gatewayChange(Update, nothing), numbers) {
		t.Error("something is still covered")
	}
}

// A Certificate that was pointed here from another Gateway has to leave that one.
func TestAnUpdateIsCoveredOnlyIfNoOtherGatewayCarriesTheCertificate(t *testing.T) {
	former := gatewayv1.Gateway{ObjectMeta: metadata("10", `{"auto-app-x":"infra/app"}`)}
	former.Name = "other"
	update := certificateChange(Update, "50", "edge")

	unknown := &coverage{}
	unknown.ran(Outcome{Gateway: edgeName, Verdict: Patched, certificates: "50", left: metadata("60", "")}, numbers)
	if unknown.covers(update, numbers) {
		t.Error("covered although no look at the others' ledgers was taken")
	}
	carried := covering(Patched)
	carried.sawLedgers([]gatewayv1.Gateway{former}, "50", numbers)
	if carried.covers(update, numbers) || !carried.covers(certificateChange(Add, "50", "edge"), numbers) {
		t.Error("want the update not covered, and an add covered")
	}
	if !carried.coversFor(edgeName, update, numbers) || carried.coversFor(otherName, update, numbers) {
		t.Error("want edge to need no run for the update, and other to need one")
	}
	former.Annotations = nil
	carried.ran(Outcome{Gateway: otherName, Verdict: Patched, certificates: "50", left: former.ObjectMeta}, numbers)
	if !carried.covers(update, numbers) {
		t.Error("still not covered after the other has let it go")
	}
}

// Another process may have written a ledger since they were read.
func TestAnUpdateIsCoveredOnlyIfTheLedgersWereReadAfterIt(t *testing.T) {
	c := covering(Patched)
	c.sawLedgers(nil, "49", numbers)
	if c.covers(certificateChange(Update, "50", "edge"), numbers) {
		t.Error("covered although the ledgers were read before")
	}
	if got := c.reachedWith(certificateChange(Update, "40", "edge"), numbers); got != "50" {
		t.Errorf("after a run that had seen version 50 and an event of version 40 the Certificates have reached %s, want 50", got)
	}
	if got := c.reachedWith(certificateChange(Update, "60", "edge"), numbers); got != "60" {
		t.Errorf("after an event of version 60 they have reached %s, want 60", got)
	}
	c.sawLedgers(make([]gatewayv1.Gateway, maxSeen), "50", numbers)
	if c.covers(certificateChange(Update, "50", "edge"), numbers) {
		t.Error("covered although there are more ledgers than are remembered")
	}
}

func TestAGatewayThatIsGoneIsForgotten(t *testing.T) {
	c := covering(Patched)
	c.forget(edgeName)
	if c.covers(certificateChange(Add, "50", "edge"), numbers) {
		t.Error("still covered")
	}
}

func TestAnAPIServerWhoseVersionsGoBackIsAnother(t *testing.T) {
	c := covering(Patched)
	c.ran(Outcome{Gateway: otherName, Verdict: Unchanged, certificates: "80", left: metadata("60", "")}, numbers)
	c.ran(Outcome{Gateway: edgeName, Verdict: Unchanged, certificates: "20", left: metadata("15", "")}, numbers)
	if c.covers(certificateChange(Add, "50", "other"), numbers) || c.covers(certificateChange(Add, "21", "edge"), numbers) {
		t.Error("something is covered by what was seen before")
	}
	if !c.covers(certificateChange(Add, "20", "edge"), numbers) {
		t.Error("what was seen since is not covered")
	}
}

func TestCoverageIsBounded(t *testing.T) {
	c := &coverage{}
	for i := range 2*maxSeen + 1 {
		c.ran(Outcome{Gateway: types.NamespacedName{Name: strconv.Itoa(i)}, Verdict: Unchanged, certificates: "1", left: metadata("1", "")}, numbers)
	}
	if len(c.byGateway) > maxSeen {
		t.Errorf("%d Gateways are remembered, want at most %d", len(c.byGateway), maxSeen)
	}
}
