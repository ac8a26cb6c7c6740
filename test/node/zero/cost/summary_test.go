package cost

import (
	"strings"
	"testing"
	"time"
)

const summary = `{
  "node": {"nodeName": "node"},
  "pods": [{
    "podRef": {"name": "operator-1", "namespace": "default", "uid": "u"},
    "startTime": "2026-01-01T00:00:00Z",
    "containers": [{
      "name": "operator",
      "startTime": "2026-01-01T00:00:01Z",
      "cpu": {"time": "2026-01-01T00:01:00Z", "usageNanoCores": 7, "usageCoreNanoSeconds": 1500000000},
      "memory": {"time": "2026-01-01T00:01:00Z", "usageBytes": 9, "workingSetBytes": 1048576}
    }, {
      "name": "just-started",
      "startTime": "2026-01-01T00:01:00Z",
      "cpu": {"time": "2026-01-01T00:01:00Z"},
      "memory": {"time": "2026-01-01T00:01:00Z", "workingSetBytes": 0}
    }]
  }]
}`

func TestContainersAreReadThatHaveFigures(t *testing.T) {
	got, err := Containers([]byte(summary))
	if err != nil {
		t.Fatal(err)
	}
	want := Container{
		Namespace: "default", Pod: "operator-1", Name: "operator",
		Started: time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC), At: time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC),
		CPU: 1500 * time.Millisecond, Memory: 1 << 20,
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("they are %+v, want %+v", got, want)
	}
}

func TestWhatIsNoSummaryIsRefused(t *testing.T) {
	for _, text := range []string{`{"kind": "Status"}`, `404 page not found`} {
		if _, err := Containers([]byte(text)); err == nil || !strings.Contains(err.Error(), "the kubelet's statistics") {
			t.Errorf("of %s the error is %v", text, err)
		}
	}
}
