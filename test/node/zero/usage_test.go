package zero

import (
	"context"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/zero/cost"
)

// readingInterval is shorter than the kubelet's own, so that none of its figures is
// missed.
const readingInterval = 3 * time.Second

// usage is what all parts have used in a span of time.
type usage map[cost.Part]cost.Usage

// measure takes a reading, acts, and reads on until it is over.
func measure(t *testing.T, act func(), over func() bool) usage {
	t.Helper()
	var m cost.Meter
	begin := time.Now()
	read := func() { m.Add(time.Now(), readContainers(t)) }
	read()
	act()
	for !over() {
		time.Sleep(readingInterval)
		read()
	}
	requests := readRequests(t, begin, time.Now())
	used := usage{}
	for _, part := range cost.Parts() {
		one := m.Usage(part)
		one.Requests = float64(requests[part.Account()])
		used[part] = one
	}
	return used
}

// readContainers asks the kubelet.
func readContainers(t *testing.T) []cost.Container {
	t.Helper()
	var found []cost.Container
	eventually(t, "the kubelet tells what containers use", func(ctx context.Context) error {
		summary, err := node.core.CoreV1().RESTClient().Get().
			AbsPath("/api/v1/nodes/node/proxy/stats/summary").Param("only_cpu_and_memory", "true").DoRaw(ctx)
		if err != nil {
			return err
		}
		found, err = cost.Containers(summary)
		return err
	})
	return found
}

// readRequests counts by account what was asked of the API server.
func readRequests(t *testing.T, from, until time.Time) map[string]int {
	t.Helper()
	state, err := machine.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Open(machine.AuditLog(state))
	if err != nil {
		t.Fatalf("the node keeps no audit log: start it anew, make cluster-down cluster: %v", err)
	}
	defer log.Close()
	counts, err := cost.Requests(log, from, until)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}
