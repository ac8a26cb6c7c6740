package telemetry_test

import (
	"context"
	"crypto/x509"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
)

const awayFrom = "http://collector.example:4318"

// outage is the network to a collector to which nobody can connect before up, and
// which takes everything then, in its time.
type outage struct {
	up    time.Time
	takes time.Duration

	mu    sync.Mutex
	taken map[string]int // by path
}

func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	if time.Now().Before(o.up) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(o.takes):
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
	setting := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": awayFrom,
		// No batch is due beside a flush: it would wait for the SDK's mutex, and the
		// bubble's clock would stand still.
		"OTEL_BSP_SCHEDULE_DELAY": "3600000",
	}
	maps.Copy(setting, variables)
	factory := outbound.NewFactory(t.Context(), outbound.Options{
		SystemPool: func() (*x509.CertPool, error) { return x509.NewCertPool(), nil },
		Wrap:       func(http.RoundTripper) http.RoundTripper { return o },
	})
	t.Cleanup(factory.Close)
	return startWith(t, setting, func(c telemetry.Connection) (*http.Client, error) {
		profile := outbound.Profile{Name: c.Signal, Timeout: c.Timeout}
		config := outbound.Config{Profile: profile.Name, Endpoints: []string{c.Endpoint}, Trust: outbound.SystemRoots{}}
		return &http.Client{Transport: outbound.Transport(factory, outbound.Owner{Kind: "Signal", Name: c.Signal},
			func(context.Context) (outbound.Config, error) { return config, nil })}, factory.Register(profile)
	})
}

// Pauses between tries are 3 s at the very most.
func TestACollectorThatComesUpWithinABatchsTimeGetsIt(t *testing.T) {
	batches := func(milliseconds string) map[string]string {
		return map[string]string{
			"OTEL_BSP_EXPORT_TIMEOUT": milliseconds, "OTEL_METRIC_EXPORT_TIMEOUT": milliseconds, "OTEL_BLRP_EXPORT_TIMEOUT": milliseconds,
		}
	}
	for _, tc := range []struct {
		name      string
		up, takes time.Duration
		variables map[string]string
		want      int
	}{
		{"which is ten seconds", 6 * time.Second, 0, nil, 1},
		{"and not after it", 12 * time.Second, 0, nil, 0},
		{"which is set to a minute", 50 * time.Second, 0, batches("60000"), 1},
		{"which is set to a second", 3 * time.Second, 0, batches("1000"), 0},
		{"if no request takes too long", 0, 5 * time.Second, nil, 0},
		{"and may take as long as is set", 0, 35 * time.Second, map[string]string{"OTEL_EXPORTER_OTLP_TIMEOUT": "40000"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &outage{up: time.Now().Add(tc.up), takes: tc.takes}
				s := startInOutage(t, o, tc.variables)
				s.leave(t, "span")
				s.Work()() // after which all signals are flushed
				time.Sleep(55 * time.Second)
				synctest.Wait()
				for _, path := range []string{"/v1/traces", "/v1/metrics", "/v1/logs"} {
					if o.taken[path] != tc.want {
						t.Errorf("the collector took %d requests of %s, want %d", o.taken[path], path, tc.want)
					}
				}
				s.stop(t)
				time.Sleep(time.Minute) // the SDK's own tries end later
			})
		})
	}
}

func TestWhatIsLostAtTheShutdownIsToldWithWhatKeptItBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startInOutage(t, &outage{up: time.Now().Add(time.Hour)}, nil)
		s.leave(t, "lost")
		s.stop(t)
		checkLossLine(t, s.log, "deadline exceeded")
		checkLossLine(t, s.log, "the connection to "+strings.TrimPrefix(awayFrom, "http://")+" failed: connection refused")
		time.Sleep(time.Minute) // the SDK's own tries end later
	})
}
