package faults

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// outage is how long the API server stands still.
const outage = 10 * time.Second

func TestABurstWhileTheAPIServerStandsStillEndsExactAfterOneSweep(t *testing.T) {
	burstDuring(t, func() {
		pauseAPIServer(t)
		time.Sleep(outage)
		must(t, system.ResumeAPIServer(system.ctx))
	})
}

func TestABurstWhileTheAPIServerIsKilledEndsExactAfterOneSweep(t *testing.T) {
	burstDuring(t, func() {
		killAPIServer(t)
		must(t, system.StartAPIServer(system.ctx))
	})
}

func TestD02AnEventIsToBeSentAgainWhileTheAPIServerIsAway(t *testing.T) {
	s := newQuietSite(t, 1)
	certificate := newCertificate("app", gatewayName(0))
	certificate.Namespace = s.Name
	e, err := eventOf(watch.Event{Type: watch.Added, Object: certificate}, "cert-manager.io/v1", "Certificate")
	must(t, err)
	killAPIServer(t)
	status, postErr := post(t.Context(), system.HandlerURL(), e)
	must(t, system.StartAPIServer(system.ctx))
	must(t, postErr)
	if status != http.StatusServiceUnavailable {
		t.Errorf("answered %d, want 503", status)
	}
	s.checkExact()
}

// burstDuring has the fault happen in the midst of a burst of Certificates.
func burstDuring(t *testing.T, fault func()) {
	t.Helper()
	count := 200
	if testing.Short() {
		count = 60
	}
	s := newSite(t, 5)
	created, done := make(chan struct{}, count), make(chan struct{})
	t.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		s.createMany(count, func() { created <- struct{}{} })
	}()
	for range count / 3 {
		<-created
	}
	before := len(created)
	fault()
	<-done
	t.Logf("%d of %d Certificates were there when the fault came", count/3+before, count)
	sweep(t, system.HandlerURL())
	s.checkExact()

	// The adapters' watches may have been lost with the API server; the next test
	// is to find them open.
	must(t, system.StopAdapters())
	must(t, system.StartAdapters(system.ctx))
	s.checkExact()
}

func pauseAPIServer(t *testing.T) {
	t.Helper()
	skipWithoutAPIServer(t, system.PauseAPIServer(system.ctx))
	t.Cleanup(func() { must(t, system.ResumeAPIServer(system.ctx)) })
}

func killAPIServer(t *testing.T) {
	t.Helper()
	skipWithoutAPIServer(t, system.KillAPIServer(system.ctx))
}

func skipWithoutAPIServer(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, stack.ErrNoAPIServer) {
		t.Skip(err)
	}
	must(t, err)
}
