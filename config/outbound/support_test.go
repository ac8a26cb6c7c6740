package outbound_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

var owner = outbound.Owner{Kind: "Test", Namespace: "infra", Name: "edge", UID: "1"}

// profile is registered with every factory of the tests.
var profile = outbound.Profile{Name: "test", Timeout: 10 * time.Second}

// clock is put forward by hand, for what needs real sockets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newFactory returns a factory without any CA of the system, as mutate would have
// it, that is closed at the end.
func newFactory(t *testing.T, mutate func(*outbound.Options)) *outbound.Factory {
	t.Helper()
	options := outbound.Options{SystemPool: func() (*x509.CertPool, error) { return x509.NewCertPool(), nil }}
	if mutate != nil {
		mutate(&options)
	}
	lifetime, end := context.WithCancel(context.Background())
	t.Cleanup(end)
	factory := outbound.NewFactory(lifetime, options)
	t.Cleanup(factory.Close)
	if err := factory.Register(profile); err != nil {
		t.Fatal(err)
	}
	return factory
}

// trust is a Trust whose word can change.
type trust func(context.Context) ([]byte, error)

func (f trust) Resolve(ctx context.Context) ([]byte, error) { return f(ctx) }

func trusting(authorities ...*authority) outbound.Trust {
	var all []byte
	for _, a := range authorities {
		all = append(all, a.pem()...)
	}
	return trust(func(context.Context) ([]byte, error) { return all, nil })
}

func acquire(t *testing.T, factory *outbound.Factory, config outbound.Config) *outbound.Lease {
	t.Helper()
	lease, err := factory.Acquire(t.Context(), owner, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lease.Release)
	return lease
}

// get returns the status of the answer.
func get(t *testing.T, client *http.Client, url string) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return do(client, r)
}

func do(client *http.Client, r *http.Request) (int, error) {
	response, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0, err
	}
	return response.StatusCode, nil
}

func expectStatus(t *testing.T, client *http.Client, url string, want int) {
	t.Helper()
	if got, err := get(t, client, url); err != nil || got != want {
		t.Errorf("status = %d, %v; want %d", got, err, want)
	}
}

// kind names which of the three an error is.
func kind(err error) string {
	switch {
	case err == nil:
		return "none"
	case is[*outbound.ConfigError](err):
		return "config"
	case is[*outbound.TransientError](err):
		return "transient"
	case is[*outbound.RemoteError](err):
		return "remote"
	}
	return "another"
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func expectError(t *testing.T, err error, wantKind, wantText string) {
	t.Helper()
	if kind(err) != wantKind || err != nil && !strings.Contains(err.Error(), wantText) {
		t.Errorf("error = %v (%s), want a %s one that says %q", err, kind(err), wantKind, wantText)
	}
}
