package zero

import (
	"fmt"
	"testing"
	"time"
)

func TestTheServiceSettlesAtZeroPods(t *testing.T) {
	o := handler(t)
	ping(t, o)
	awake := time.Now()
	if o.asleep() {
		t.Fatal("it answers and has no pods")
	}
	sleeping(t, o)
	node.report.table("Step 1: asleep", []string{"", "s"}, [][]string{
		{"last answer until no pod runs", fmt.Sprintf("%.1f", (time.Since(awake) - settling).Seconds())},
	})
}
