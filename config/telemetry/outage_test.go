package telemetry_test

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
)

const awayFrom = "http://collector.example:4318"

// outage is the network to a collector to which nobody can connect before up, and
// which takes everything then.
type outage struct {
	up time.Time

	mu    sync.Mutex
	taken map[string]int // by path
}

func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	if time.Now().Before(o.up) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taken[r.URL.Path]++
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
}

// startInOutage starts with the client that the process has, over that network. It
// is for a bubble of synctest.
func startInOutage(t *testing.T, o *outage, variables map[string]string) started {
	t.Helper()
	o.taken = map[string]int{}
	factory := outbound.NewFactory(t.Context(), outbound.Options{
		SystemPool: func() (*x509.CertPool, error) { return x509.NewCertPool(), nil },
		Wrap:       func(http.RoundTripper) http.RoundTripper { return o },
	})
	t.Cleanup(factory.Close)
	return startWith(t, variables, func(c telemetry.Connection) (*http.Client, error) {
		profile := outbound.Profile{Name: c.Signal, Timeout: c.Timeout}
		config := outbound.Config{Profile: profile.Name, Endpoints: []string{c.Endpoint}, Trust: outbound.SystemRoots{}}
		return &http.Client{Transport: outbound.Transport(factory, outbound.Owner{Kind: "Signal", Name: c.Signal},
			func(context.Context) (outbound.Config, error) { return config, nil })}, factory.Register(profile)
	})
}

func TestACollectorThatComesUpWithinABatchsTimeGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Pauses between tries are 3 s at the very most.
		o := &outage{up: time.Now().Add(6 * time.Second)}
		s := startInOutage(t, o, map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": awayFrom,
			// No batch is due beside the flush: it would wait for the SDK's mutex, and
			// the bubble's clock would stand still.
			"OTEL_BSP_SCHEDULE_DELAY": "3600000",
		})
		s.leave(t, "kept")
		s.Work()() // after which all signals are flushed
		time.Sleep(15 * time.Second)
		synctest.Wait()
		want := map[string]int{"/v1/traces": 1, "/v1/metrics": 1, "/v1/logs": 1}
		if diff := cmp.Diff(want, o.taken); diff != "" {
			t.Errorf("requests that the collector took (-want +got):\n%s", diff)
		}
		s.stop(t)
		if lines := s.log.lines(t); len(lines) != 1 {
			t.Errorf("the log is %v, want the test's line alone", lines)
		}
	})
}

func TestWhatIsLostAtTheShutdownIsToldWithWhatKeptItBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startInOutage(t, &outage{up: time.Now().Add(time.Hour)}, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": awayFrom})
		s.leave(t, "lost")
		s.stop(t)
		checkLossLine(t, s.log, "deadline exceeded")
		checkLossLine(t, s.log, "the connection to "+strings.TrimPrefix(awayFrom, "http://")+" failed: connection refused")
		time.Sleep(time.Minute) // the SDK's own tries end later
	})
}
