package reconcile

import (
	"strconv"
	"testing"
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
		c.begin()
		tc.during(c)
		c.ran(left("60"), numbers)
		c.end()
		if got := c.covers(echo, numbers); got != tc.want {
			t.Errorf("%s: the echo of the patch is covered: %t, want %t", tc.name, got, tc.want)
		}
	}
}

func TestUpdatesAreForgottenOnceNoRunIsUnderWay(t *testing.T) {
	c := &coverage{}
	c.begin()
	c.told(certificateChange(Update, "51", "other"))
	c.end()
	c.told(certificateChange(Update, "51", "other"))
	c.begin()
	c.ran(left("60"), numbers)
	c.end()
	if !c.covers(gatewayChange(Update, nothing), numbers) {
		t.Error("a run that began later is not covered")
	}
}
