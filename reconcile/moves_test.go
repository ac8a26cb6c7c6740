package reconcile

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestAGatewayIsNotCoveredWhileACertificateMayHaveBeenPointedAwayUnderItsPatch(t *testing.T) {
	echo := gatewayChange(Update, nothing)
	for _, tc := range []struct {
		name   string
		during func(*coverage)
		want   bool
	}{
		{"nothing", func(*coverage) {}, true},
		{"an update to another Gateway", func(c *coverage) { c.told(certificateChange(Update, "51", "other")) }, false},
		{"an update to none", func(c *coverage) { c.told(certificateChange(Update, "51", "")) }, false},
		{"an update that points here", func(c *coverage) { c.told(certificateChange(Update, "51", "edge")) }, true},
		{"an update that the run has read", func(c *coverage) { c.told(certificateChange(Update, "50", "other")) }, true},
		{"an update of a Certificate that is not carried", func(c *coverage) {
			change := certificateChange(Update, "51", "other")
			change.Object.Name = "stranger"
			c.told(change)
		}, true},
		{"more updates than are kept", func(c *coverage) {
			for i := range maxMoves + 1 {
				change := certificateChange(Update, "51", "other")
				change.Object.Name = strconv.Itoa(i)
				c.told(change)
			}
		}, false},
	} {
		c := &coverage{}
		c.begin(edgeName)
		tc.during(c)
		c.ran(left("60"), numbers)
		c.end(edgeName)
		if got := c.covers(echo, numbers); got != tc.want {
			t.Errorf("%s: the echo of the patch is covered: %t, want %t", tc.name, got, tc.want)
		}
	}
}

func TestUpdatesAreForgottenOnceNoRunIsUnderWay(t *testing.T) {
	c := &coverage{}
	c.begin(edgeName)
	c.told(certificateChange(Update, "51", "other"))
	c.end(edgeName)
	c.told(certificateChange(Update, "51", "other"))
	c.begin(edgeName)
	c.ran(left("60"), numbers)
	c.end(edgeName)
	if !c.covers(gatewayChange(Update, nothing), numbers) {
		t.Error("a run that began later is not covered")
	}
}

// The run has read the Certificate before it was deleted, and the sweep after; the
// run's patch, which is yet to come, brings its listener back.
func TestASweepBesideARunCoversNothing(t *testing.T) {
	swept := left("60")
	swept.Verdict, swept.swept, swept.certificates = Unchanged, true, "70"
	deletion := certificateChange(Delete, "65", "edge")
	for _, tc := range []struct {
		name   string
		before func(*coverage)
		want   bool
	}{
		{"no run", func(*coverage) {}, true},
		{"a run that is under way", func(c *coverage) { c.begin(edgeName) }, false},
		{"one that has ended", func(c *coverage) { c.begin(edgeName); c.end(edgeName) }, true},
		{"one for another Gateway", func(c *coverage) { c.begin(types.NamespacedName{Namespace: "infra", Name: "other"}) }, true},
	} {
		c := covering(Unchanged)
		tc.before(c)
		c.ran(swept, numbers)
		if got := c.covers(deletion, numbers); got != tc.want {
			t.Errorf("%s: the deletion is covered: %t, want %t", tc.name, got, tc.want)
		}
	}
}
