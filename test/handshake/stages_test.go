package handshake

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStagesAreListedAsTheyCame(t *testing.T) {
	stages := []Stage{{Issued, 1200 * time.Millisecond}, {Shaken, 1234500 * time.Microsecond}, {Arrived, 9 * time.Millisecond}}
	want := `     0 ms  Certificate created
     9 ms  event at the handler
  1200 ms  issued: cert-manager says Ready, the Secret is there
  1234 ms  first good handshake
`
	if diff := cmp.Diff(want, Table(stages)); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
}
