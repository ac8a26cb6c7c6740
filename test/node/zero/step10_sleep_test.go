package zero

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/zero/cost"
)

const (
	estateGateways     = 10
	estateCertificates = 100
	// asleepFor is how long nothing changes.
	asleepFor = 5 * time.Minute
	// hourlyWakes is how often the PingSource wakes the handler in an hour.
	hourlyWakes = int(time.Hour / sweepInterval)
	// longerWindow is what Knative's stable-window has by default above the node's.
	longerWindow = (60 - 6) * time.Second
)

func TestWhatAnHourOfSleepCosts(t *testing.T) {
	skipQuick(t)
	product(t)
	serviceReady(t, productNamespace, handlerService)
	o := observe(t, productNamespace, handlerService, "handler")
	pauseCertManager(t)
	w := newEstate(t, o)
	operator(t)
	objects := countAll(t, "certificates") + " Certificates and " + countAll(t, "gateways") + " Gateways"

	deeplyAsleep(t, o, asleepFor+untouched)
	before := versions(t, w)
	rest := atRest(t, o)
	wake, awake := wakeByPing(t, o)
	if after := versions(t, w); !maps.Equal(after, before) {
		t.Errorf("though nothing was to be done Gateways were written to: their versions are %v, and were %v", after, before)
	}

	hours := usage{}
	for part := range rest {
		hours[part] = cost.Hour(rest[part], wake[part], hourlyWakes)
	}
	reportHour(hours, objects)
	longer := cost.Hour(rest[cost.Handler], wake[cost.Handler].Idle(longerWindow), hourlyWakes)
	node.report.say("One wake by ping: the pod is there for %.0f s, has %s MiB in mean, and takes %s s of CPU and %.0f API requests. "+
		"The stable-window is 6 s here: with the 60 s that Knative has by default the pod is there for %.0f s longer, and the handler's mean is %s MiB instead of %s.",
		awake.Seconds(), mebibytes(wake[cost.Handler].WhileThere()), seconds(wake[cost.Handler].CPU), wake[cost.Handler].Requests,
		longerWindow.Seconds(), mebibytes(longer.Memory), mebibytes(hours[cost.Handler].Memory))
}

// newEstate makes Certificates that both sides find, and has the handler write their
// listeners before the operator comes: they name them alike, so that neither then
// has anything to write.
func newEstate(t *testing.T, o *observer) *workload {
	t.Helper()
	w := emptyWorkload(t)
	begin := time.Now()
	for i := range estateGateways {
		w.n.CreateGateway(fmt.Sprintf("edge-%d", i), nil)
	}
	for i := range estateCertificates {
		name, gateway := fmt.Sprintf("app-%d", i), fmt.Sprintf("edge-%d", i%estateGateways)
		w.listeners[name] = listener{gateway, createAnnotated(t, w.n, annotated{name: name, gateway: gateway, labelled: true})}
	}
	w.settle(t, o, begin)
	return w
}

// versions are the resourceVersions of a workload's Gateways.
func versions(t *testing.T, w *workload) map[string]string {
	t.Helper()
	list, err := w.n.Gateways.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for i := range list.Items {
		found[list.Items[i].Name] = list.Items[i].ResourceVersion
	}
	return found
}

// countAll is how many of a kind there are on the node.
func countAll(t *testing.T, resource string) string {
	t.Helper()
	names := run(t, "", "get", resource, "--all-namespaces", "-o", "name")
	return fmt.Sprint(len(strings.Fields(names)))
}

// deeplyAsleep waits until no pod of a Service is left, not even one that is ending,
// and no sweep comes for so long.
func deeplyAsleep(t *testing.T, o *observer, undisturbed time.Duration) {
	t.Helper()
	if next := untilSweep(); next < undisturbed+patience {
		time.Sleep(next)
		eventually(t, "a sweep wakes the handler", func(context.Context) error {
			if len(o.running()) == 0 {
				return errors.New("it has no pod")
			}
			return nil
		})
	}
	eventually(t, o.service+" has left nothing behind", func(context.Context) error {
		if !o.gone() {
			return errors.New("it has pods")
		}
		return nil
	})
}

// gone tells whether there is no pod, and none that is ending.
func (o *observer) gone() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.pods) == 0
}

// atRest measures while nothing happens, and fails if the handler is not what it is
// to be then: not there.
func atRest(t *testing.T, o *observer) usage {
	t.Helper()
	o.reset()
	end := time.Now().Add(asleepFor)
	used := measure(t, func() {}, func() bool { return time.Now().After(end) })
	if marks, pod := o.seen(); len(marks) > 0 {
		t.Errorf("something woke the handler: its pod %q, %v", pod, marks)
	}
	if handler := used[cost.Handler]; handler.There > 0 || handler.Requests > 0 {
		t.Errorf("asleep, the handler has a container for %.0f %% of the time and makes %.0f API requests", 100*handler.There, handler.Requests)
	}
	for _, part := range []cost.Part{cost.Adapters, cost.Operator, cost.Knative} {
		if one := used[part]; one.There < 1 || one.CPU == 0 || one.Memory == 0 {
			t.Errorf("of the %s, which always run, it is only measured that %+v", part, one)
		}
	}
	return used
}

// wakeByPing measures one wake, and returns for how long the pod was there.
func wakeByPing(t *testing.T, o *observer) (used usage, awake time.Duration) {
	t.Helper()
	o.reset()
	deadline := time.Now().Add(2 * patience)
	used = measure(t, func() { ping(t, o) }, func() bool { return o.gone() || time.Now().After(deadline) })
	left := time.Now()
	marks, _ := o.seen()
	created, there := marks[markCreated]
	if !there || !o.gone() {
		t.Fatalf("within %v a pod is to come (%t) and to go (%t)", 2*patience, there, o.gone())
	}
	if handler := used[cost.Handler]; handler.CPU == 0 || handler.Requests == 0 {
		t.Errorf("of a wake it is only measured that %+v", handler)
	}
	return used, left.Sub(created)
}

func reportHour(hours usage, objects string) {
	ours := hours[cost.Handler].Plus(hours[cost.Adapters])
	row := func(name string, u cost.Usage) []string {
		return []string{name, mebibytes(u.Memory), seconds(u.CPU), fmt.Sprintf("%.0f", u.Requests)}
	}
	knative := row("Knative's own pods, which a cluster shares", hours[cost.Knative])
	knative[3] = "not counted"
	node.report.table("Step 10: an hour of sleep", []string{"", "memory, MiB (mean)", "CPU, s per hour", "API requests per hour"}, [][]string{
		row(fmt.Sprintf("the handler with its queue-proxy, woken %d times by a sweep", hourlyWakes), hours[cost.Handler]),
		row("the two adapters", hours[cost.Adapters]),
		row("**ours without Knative**", ours),
		row("**the always-on operator**", hours[cost.Operator]),
		knative,
	})
	node.report.say("Extrapolated to an hour from %.0f minutes of sleep and one wake by ping, with %s on the node.", asleepFor.Minutes(), objects)
}

func mebibytes(bytes float64) string { return fmt.Sprintf("%.1f", bytes/(1<<20)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
