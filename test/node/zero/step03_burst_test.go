package zero

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// gateways are how many a burst is spread over: none comes near 64 listeners.
const gateways = 4

// workload is Certificates that change, and what the Gateways are to be in the end.
type workload struct {
	n         *namespace.Namespace
	adapters  *adapterLog
	changes   int
	names     []string            // of the Certificates that are there
	listeners map[string]listener // of each Certificate
}

// listener is what a Certificate asks for.
type listener struct{ gateway, host string }

func (l listener) String() string { return l.host + " on " + l.gateway }

// Nobody issues them: cert-manager's writes of each Certificate would be most of
// what happens.
func newWorkload(t *testing.T) *workload {
	t.Helper()
	pauseCertManager(t)
	return newIssuedWorkload(t)
}

// newIssuedWorkload is one that cert-manager issues at the same time. No sweep comes
// meanwhile, which would put right what is wrong.
func newIssuedWorkload(t *testing.T) *workload {
	t.Helper()
	pauseSweep(t)
	w := emptyWorkload(t)
	for i := range gateways {
		w.n.CreateGateway(gatewayName(i), nil)
	}
	return w
}

func emptyWorkload(t *testing.T) *workload {
	t.Helper()
	return &workload{n: newNamespace(t), adapters: followAdapters(t), listeners: map[string]listener{}}
}

func gatewayName(i int) string { return fmt.Sprintf("edge-%d", i%gateways) }

// change makes the next change: of ten, four make a Certificate, three give one
// another hostname and three delete one.
func (w *workload) change(ctx context.Context) error {
	kind := w.changes % 10
	w.changes++
	switch {
	case kind < 4 || len(w.names) == 0:
		return w.create(ctx)
	case kind < 7:
		return w.rename(ctx, w.names[w.changes%len(w.names)])
	default:
		return w.remove(ctx, w.names[0])
	}
}

func (w *workload) create(ctx context.Context) error {
	name := fmt.Sprintf("app-%d", w.changes)
	one := listener{gatewayName(w.changes), name + ".example.com"}
	w.listeners[name] = one
	w.names = append(w.names, name)
	_, err := w.n.Certificates.Create(ctx, certificate(name, one.gateway, one.host), metav1.CreateOptions{})
	return err
}

func (w *workload) rename(ctx context.Context, name string) error {
	one := listener{w.listeners[name].gateway, fmt.Sprintf("%s-%d.example.com", name, w.changes)}
	w.listeners[name] = one
	patch := fmt.Sprintf(`{"spec":{"dnsNames":[%q]}}`, one.host)
	_, err := w.n.Certificates.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (w *workload) remove(ctx context.Context, name string) error {
	w.names = slices.DeleteFunc(w.names, func(one string) bool { return one == name })
	delete(w.listeners, name)
	return w.n.Certificates.Delete(ctx, name, metav1.DeleteOptions{})
}

// burst makes changes with a pause after each.
func (w *workload) burst(t *testing.T, count int, pause time.Duration) {
	t.Helper()
	for range count {
		if err := w.change(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(pause)
	}
}

// wrong says what is not on the Gateways as it should be; nil is that all is.
func (w *workload) wrong(ctx context.Context) error {
	list, err := w.n.Gateways.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var found, wanted []string
	for _, gateway := range list.Items {
		for _, host := range hostnames(&gateway) {
			found = append(found, listener{gateway.Name, host}.String())
		}
	}
	for _, one := range w.listeners {
		wanted = append(wanted, one.String())
	}
	slices.Sort(found)
	slices.Sort(wanted)
	if slices.Equal(found, wanted) {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(l string) bool { return slices.Contains(found, l) })
	stale := slices.DeleteFunc(slices.Clone(found), func(l string) bool { return slices.Contains(wanted, l) })
	return fmt.Errorf("%d listeners are missing (%s), %d are stale or double (%s)",
		len(missing), strings.Join(missing, " "), len(stale), strings.Join(stale, " "))
}

// outcome is how a burst ended.
type outcome struct {
	changes, sent, lost int
	pinged              bool
	settled             time.Duration // from the last change
}

func (o outcome) row(name string) []string {
	ping := "no"
	if o.pinged {
		ping = "yes"
	}
	return []string{name, fmt.Sprint(o.changes), fmt.Sprint(o.sent), fmt.Sprint(o.lost), ping, fmt.Sprintf("%.1f", o.settled.Seconds())}
}

var outcomeHeader = []string{"", "changes", "events sent", "of them lost", "a ping was needed", "s from the last change until all is right"}

// grace is how long events may take that are on their way when the last change is
// made, retries included: longer than the adapter tries.
const grace = 15 * time.Second

// afterwards is how long all has to stay right: a late write would undo it.
const afterwards = 3 * time.Second

// settle waits until all is right; where it is not after grace, one ping must do.
// And it must stay so.
func (w *workload) settle(t *testing.T, o *observer, begin time.Time) outcome {
	t.Helper()
	last := time.Now()
	result := outcome{changes: w.changes}
	for err := w.wrong(t.Context()); err != nil; err = w.wrong(t.Context()) {
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
		if time.Since(last) < grace {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if result.pinged {
			t.Errorf("after a ping: %v", err)
			break
		}
		t.Logf("before a ping: %v", err)
		result.pinged = true
		ping(t, o)
	}
	result.settled = time.Since(last)
	// What is still on its way is not lost yet.
	for end := time.Now().Add(grace); ; time.Sleep(time.Second) {
		if result.sent, result.lost = lost(w.adapters.since(begin)); result.lost == 0 || time.Now().After(end) {
			break
		}
	}
	time.Sleep(afterwards)
	if err := w.wrong(t.Context()); err != nil && !t.Failed() {
		t.Errorf("all was right, and is not any more: %v", err)
	}
	return result
}

func TestTwoHundredChangesWhileItWakesAndSleepsTenTimesEndExactly(t *testing.T) {
	o := handler(t)
	rows := [][]string{
		upAndDown(t, o, newWorkload(t), 10).row("20 changes within a second, from zero, ten times"),
	}
	if !quick() {
		certManagerRuns(t)
		rows = append(rows, upAndDown(t, o, newIssuedWorkload(t), 3).row("the same three times, while cert-manager issues"))
	}
	node.report.table("Step 3: asleep and awake, by the direct path", outcomeHeader, rows)
}

// upAndDown makes 20 changes each time that the handler is at zero.
func upAndDown(t *testing.T, o *observer, w *workload, times int) outcome {
	t.Helper()
	begin := time.Now()
	for range times {
		sleeping(t, o)
		w.burst(t, 20, 50*time.Millisecond)
	}
	return w.settle(t, o, begin)
}
