package faults

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

func TestTwoHandlersAndAStatusWriterEndExact(t *testing.T) {
	certificates, gateways := 500, 10
	if testing.Short() {
		certificates, gateways = 100, 5
	}
	s := newQuietSite(t, gateways)
	one, oneSaw := startWatched(t)
	other, otherSaw := startWatched(t)
	f := s.feed(one.URL, other.URL)
	stopWriting := s.writeStatus(time.Second)
	began := time.Now()

	s.createMany(certificates, nil)
	for i := 0; i < certificates; i += 5 { // and what else happens to Certificates
		name := fmt.Sprintf("c%03d", i)
		switch i % 3 {
		case 0:
			s.deleteCertificate(name)
		case 1:
			s.patchCertificate(name, `{"spec":{"secretName":"changed"}}`)
		default:
			s.patchCertificate(name, fmt.Sprintf(`{"spec":{"dnsNames":["%s-changed.example.com"]}}`, name))
		}
	}
	// On a machine that is busy otherwise the status writes alone can be more than
	// the API server gets done; then they end before the events do.
	limit := time.AfterFunc(maxStatusWriting, func() { stopWriting() })
	defer limit.Stop()
	f.finish()
	writes := stopWriting()
	sweep(t, one.URL)
	sweep(t, other.URL)
	s.checkExact()

	for _, saw := range []*witness{oneSaw, otherSaw} {
		patches, failed, byStatus := saw.count(t)
		t.Logf("%d patches of Gateways, %d of them not applied, %d for a status write's sake", patches, failed, byStatus)
	}
	t.Logf("%d events delivered, %d of them not taken, and %d status writes in %s",
		f.delivered.Load(), f.lost.Load(), writes, time.Since(began).Round(time.Millisecond))
}

// Where one handler is alone with the status writer nobody else changes a
// Gateway's spec, so that whatever makes a patch fail is a status write.
func TestStatusWritesMakeNoPatchFail(t *testing.T) {
	certificates, gateways := 100, 5
	if testing.Short() {
		certificates = 50
	}
	s := newQuietSite(t, gateways)
	handler, saw := startWatched(t)
	f := s.feed(handler.URL)
	stopWriting := s.writeStatus(20 * time.Millisecond)

	s.createMany(certificates, nil)
	f.finish()
	writes := stopWriting()
	s.checkExact()
	patches, failed, _ := saw.count(t)
	if failed != 0 {
		t.Errorf("%d of %d patches were not applied, want 0: %q", failed, patches, saw.unapplied)
	}
	if writes < patches {
		t.Errorf("%d status writes beside %d patches, want more: the test is void", writes, patches)
	}
	t.Logf("%d patches of Gateways and %d status writes", patches, writes)
}

// newQuietSite is a site of whose changes no adapter tells.
func newQuietSite(t *testing.T, gateways int) *site {
	t.Helper()
	must(t, system.StopAdapters())
	t.Cleanup(func() { must(t, system.StartAdapters(system.ctx)) })
	return newSite(t, gateways)
}

// writeStatus writes each Gateway's status once a period, as its controller
// would, until stop, which returns how many times it did.
func (s *site) writeStatus(period time.Duration) (stop func() (writes int)) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	var writers sync.WaitGroup
	var writes atomic.Int64
	for name := range s.owned {
		writers.Go(func() {
			tick := time.NewTicker(period)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Programmed","status":"True","reason":"Programmed",
					"lastTransitionTime":"2026-01-01T00:00:00Z","message":"write %d"}]}}`, i)
				_, err := s.Gateways.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "controller"}, "status")
				switch {
				case err == nil:
					writes.Add(1)
				case ctx.Err() == nil:
					s.t.Errorf("write the status of Gateway %s: %v", name, err)
					return
				}
			}
		})
	}
	var once sync.Once
	end := func() int {
		once.Do(func() { cancel(); writers.Wait() })
		return int(writes.Load())
	}
	s.t.Cleanup(func() { end() })
	return end
}

// feeder gives handlers the events of a site as adapters do: of each kind one
// at a time to each handler, which is sent again where it is not taken. Of three
// in a row all get the first, and the other two go to one handler each.
type feeder struct {
	site            *site
	delivered, lost atomic.Int64
	stop            context.CancelFunc
	senders         sync.WaitGroup
	last            chan struct{} // gets a word when a handler has answered the last event
	handlers        int
}

// maxStatusWriting bounds the status writes after the last change.
const maxStatusWriting = 20 * time.Second

// queueLength is more than a test makes of events of one kind.
const queueLength = 20_000

const lastCertificate = "last"

func (s *site) feed(urls ...string) *feeder {
	s.t.Helper()
	watching, stop := context.WithCancel(s.t.Context())
	f := &feeder{site: s, stop: stop, last: make(chan struct{}, len(urls)), handlers: len(urls)}
	for _, events := range []<-chan event.Event{s.certificateEvents(watching), s.gatewayEvents(watching)} {
		queues := make([]chan event.Event, len(urls))
		for i, url := range urls {
			queues[i] = make(chan event.Event, queueLength)
			f.senders.Go(func() { f.send(url, queues[i]) })
		}
		f.senders.Go(func() {
			defer closeAll(queues)
			turn := 0
			for e := range events {
				for i, queue := range queues {
					if turn == 0 || turn == i+1 || isLast(e) {
						queue <- e
					}
				}
				turn = (turn + 1) % (len(queues) + 1)
			}
		})
	}
	s.t.Cleanup(func() { stop(); f.senders.Wait() })
	return f
}

func closeAll(queues []chan event.Event) {
	for _, queue := range queues {
		close(queue)
	}
}

func isLast(e event.Event) bool { return e.Extensions()[knative.ExtensionName] == lastCertificate }

func (f *feeder) send(url string, queue <-chan event.Event) {
	for e := range queue {
		if !deliver(f.site.t.Context(), url, e) {
			f.lost.Add(1)
		}
		f.delivered.Add(1)
		if isLast(e) {
			f.last <- struct{}{}
		}
	}
}

// drain is how long all events may take to be answered. Where resourceVersions cannot
// be compared each status write makes for a look, of which there are thousands.
const drain = 5 * time.Minute

// finish returns when every handler has answered every event of a Certificate up
// to now.
func (f *feeder) finish() {
	f.site.t.Helper()
	_, err := f.site.Certificates.Create(f.site.t.Context(), newCertificate(lastCertificate, gatewayName(0)), metav1.CreateOptions{})
	must(f.site.t, err)
	for range f.handlers {
		select {
		case <-f.last:
		case <-time.After(drain):
			f.site.t.Fatalf("the last Certificate's event was not answered within %s", drain)
		}
	}
}
