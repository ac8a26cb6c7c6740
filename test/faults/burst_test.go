package faults

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

func TestABurstThroughTheAdapterAsksForLittle(t *testing.T) {
	needOrder(t)
	const certificates, gateways = 100, 5
	cost := burst(t, certificates, gateways)
	t.Log(cost)
	if cost.patches >= certificates/3 {
		t.Errorf("%d patches for %d events, want fewer than a third", cost.patches, certificates)
	}
	if cost.listsPerEvent() > 0.5 {
		t.Errorf("%.2f LISTs an event, want at most 0.5", cost.listsPerEvent())
	}
}

// BenchmarkBurstOf500CertificatesOn10Gateways counts what a burst through the
// real adapter asks of the API server. What runs is the handler as it ships,
// without the race detector.
func BenchmarkBurstOf500CertificatesOn10Gateways(b *testing.B) {
	program, err := stack.BuildHandler(system.ctx, b.TempDir())
	must(b, err)
	restartHandler(b, stack.HandlerOptions{Program: program})
	defer restartHandler(b, stack.HandlerOptions{})
	idle := megabytes(b, "VmRSS")
	var total burstCost
	for b.Loop() {
		cost := burst(b, 500, 10)
		total.add(cost)
		b.Log(cost)
	}
	runs := float64(b.N)
	b.ReportMetric(0, "ns/op") // says nothing: the burst is timed by itself
	b.ReportMetric(total.listsPerEvent(), "LIST/event")
	b.ReportMetric(float64(total.gets)/float64(total.events), "GET/event")
	b.ReportMetric(float64(total.patches)/runs, "PATCH")
	b.ReportMetric(float64(total.right.Milliseconds())/runs, "ms-until-right")
	b.ReportMetric(float64(total.creating.Milliseconds())/runs, "ms-creating")
	b.ReportMetric(idle, "MB-idle")
	b.ReportMetric(megabytes(b, "VmHWM"), "MB-peak")
}

// burstCost is what a burst has asked of the API server.
type burstCost struct {
	events               int // of Certificates
	lists, gets, patches int
	creating             time.Duration // the Certificates
	right                time.Duration // from the last create until all Gateways were
}

func (c burstCost) listsPerEvent() float64 { return float64(c.lists) / float64(c.events) }

func (c burstCost) String() string {
	return fmt.Sprintf("%d events, created in %s, right %s after the last: %d LISTs (%.2f an event), %d GETs (%.2f), %d PATCHes of Gateways",
		c.events, c.creating.Round(time.Millisecond), c.right.Round(time.Millisecond),
		c.lists, c.listsPerEvent(), c.gets, float64(c.gets)/float64(c.events), c.patches)
}

func (c *burstCost) add(other burstCost) {
	c.events += other.events
	c.lists += other.lists
	c.gets += other.gets
	c.patches += other.patches
	c.creating += other.creating
	c.right += other.right
}

// burst creates Certificates as fast as the API server takes them and counts
// requests until the last event is answered. The test itself only creates and
// watches meanwhile, and the adapters only watch, so that what is counted is the
// handler's; with it the two LISTs and the GET for the marker's event.
func burst(t testing.TB, certificates, gateways int) burstCost {
	t.Helper()
	m, s := newMarker(t), newSite(t, gateways)
	m.certificatesArrive()
	m.gatewaysArrive() // and with this one all Gateways' own events
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	right := s.watchUntil(watching, certificates/gateways)
	marked := m.watchUntil(watching, m.last+1)
	before := scrape(t)

	began := time.Now()
	s.createMany(certificates, nil)
	created := time.Now()
	wasRight := receive(t, right)
	m.createNext()
	receive(t, marked)

	after := scrape(t)
	s.checkExact()
	return burstCost{
		events:   certificates,
		lists:    after.count("LIST") - before.count("LIST"),
		gets:     after.count("GET") - before.count("GET"),
		patches:  after.patches() - before.patches() - 1, // the marker's
		creating: created.Sub(began),
		right:    max(0, wasRight.Sub(created)),
	}
}

// watchUntil tells when every Gateway has so many listeners of ours.
func (s *site) watchUntil(ctx context.Context, listeners int) <-chan time.Time {
	s.t.Helper()
	w, err := s.Gateways.Watch(ctx, metav1.ListOptions{})
	must(s.t, err)
	done := make(chan time.Time, 1)
	go func() {
		defer w.Stop()
		missing := map[string]bool{}
		for name := range s.owned {
			missing[name] = true
		}
		for seen := range w.ResultChan() {
			gateway, ok := seen.Object.(*gatewayv1.Gateway)
			if !ok {
				return
			}
			if ours(gateway) == listeners {
				delete(missing, gateway.Name)
			}
			if len(missing) == 0 {
				done <- time.Now()
				return
			}
		}
	}()
	return done
}

func ours(gateway *gatewayv1.Gateway) int {
	count := 0
	for _, l := range gateway.Spec.Listeners {
		if !isOwners(l.Name) {
			count++
		}
	}
	return count
}

func receive(t testing.TB, from <-chan time.Time) time.Time {
	t.Helper()
	select {
	case at := <-from:
		return at
	case <-time.After(patience):
		t.Fatalf("not all listeners were there within %s", patience)
		return time.Time{}
	}
}

const startTries = 5

func restartHandler(t testing.TB, options stack.HandlerOptions) {
	t.Helper()
	must(t, system.KillHandler(system.ctx))
	startHandler(t, options)
}

// startHandler tries again where another's connection has the port for a moment.
func startHandler(t testing.TB, options stack.HandlerOptions) {
	t.Helper()
	var err error
	for range startTries {
		if err = system.StartHandler(system.ctx, options); err == nil {
			return
		}
	}
	t.Fatal(err)
}
