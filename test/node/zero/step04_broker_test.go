package zero

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/install"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/zero/spans"
)

func TestThroughTheBrokerNothingIsLostWhileItWakesAndSleepsTenTimes(t *testing.T) {
	skipQuick(t)
	product(t, "knative/components/broker")
	t.Cleanup(func() {
		product(t)
		run(t, "", "-n", productNamespace, "delete", "trigger", "certificates", "gateways", "sweep")
		run(t, "", "-n", productNamespace, "delete", "broker/"+productNamespace, "jobsink/undelivered")
	})
	for _, object := range []string{"broker/" + productNamespace, "trigger/certificates", "trigger/gateways", "trigger/sweep"} {
		run(t, "", "-n", productNamespace, "wait", "--for=condition=Ready", object, "--timeout=120s")
	}
	o := handler(t)
	w := newWorkload(t)
	result := upAndDown(t, o, w, 10)
	node.report.table("Step 4: asleep and awake ten times, through the Broker", outcomeHeader, [][]string{
		result.row("20 changes within a second, from zero, ten times"),
	})
	if result.lost > 0 || result.pinged {
		t.Errorf("%d events were lost, and a ping was needed: %t", result.lost, result.pinged)
	}
	// The Broker answers before the handler does.
	eventually(t, "the handler has had all events", func(context.Context) error {
		if had := spans.EventsIn(node.traces.Spans(), w.n.Name); had < result.sent {
			return fmt.Errorf("of %d it has had %d", result.sent, had)
		}
		return nil
	})
	if jobs := run(t, "", "-n", productNamespace, "get", "jobs", "-o", "name"); jobs != "" {
		t.Errorf("events were taken for undeliverable: %s", jobs)
	}
}

// product applies our manifests with components, and waits until adapters send to
// where they then are to.
func product(t *testing.T, components ...string) {
	t.Helper()
	state, err := machine.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	target := install.Target{Kubectl: node.kubectl, Root: root, Scratch: state, Reference: func(program string) (string, bool) {
		reference := image(t, machine.Repository(program))
		return reference, reference != ""
	}}
	if err := target.Product(context.WithoutCancel(t.Context()), components...); err != nil {
		t.Fatal(err)
	}
	sink := handlerService + "." + productNamespace
	if len(components) > 0 {
		sink = "broker-ingress"
	}
	eventually(t, "the adapters send to "+sink, func(ctx context.Context) error { return sendsTo(t, sink) })
}

// sendsTo is nil if all adapters that run send there.
func sendsTo(t *testing.T, sink string) error {
	t.Helper()
	out := run(t, "", "-n", productNamespace, "get", "pods", "--field-selector=status.phase=Running", "-o",
		`jsonpath={range .items[*]}{.metadata.deletionTimestamp}{"\t"}{.spec.containers[0].env[?(@.name=="K_SINK")].value}{"\n"}{end}`)
	adapters := 0
	for line := range strings.Lines(out) {
		deleted, to, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if to == "" {
			continue // the handler's
		}
		if deleted != "" || !strings.Contains(to, sink) {
			return fmt.Errorf("one sends to %s (deleted: %q)", to, deleted)
		}
		adapters++
	}
	if adapters < 2 {
		return fmt.Errorf("%d run", adapters)
	}
	return nil
}
