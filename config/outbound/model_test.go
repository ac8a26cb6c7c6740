package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// rotation is one of the owners' trust, which changes from time to time.
type rotation struct {
	mu      sync.Mutex
	current int
	roots   [][]byte
}

func newRotation(t *testing.T, n int) *rotation {
	t.Helper()
	r := &rotation{}
	for i := range n {
		r.roots = append(r.roots, newAuthority(t, fmt.Sprint(i)).pem())
	}
	return r
}

func (r *rotation) Resolve(context.Context) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.roots[r.current], nil
}

func (r *rotation) turn(to int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = to
}

// A model of the factory: what it should keep, in the simplest words.
type (
	modelKey     struct{ owner, roots int }
	modelVersion struct {
		key          modelKey
		borrowers    int
		lastAcquired time.Time
		closed       bool // as the factory did it
		first        *outbound.Lease
	}
	modelLease struct {
		*outbound.Lease
		version *modelVersion
	}
	model struct {
		t       *testing.T
		factory *outbound.Factory
		clock   *clock
		trust   *rotation
		live    map[modelKey]*modelVersion
		all     []*modelVersion
		leases  []modelLease
		closed  bool
	}
)

func newModel(t *testing.T, trust *rotation) *model {
	m := &model{t: t, clock: &clock{now: time.Now()}, trust: trust, live: map[modelKey]*modelVersion{}}
	m.factory = newFactory(t, func(o *outbound.Options) {
		o.Now = m.clock.Now
		o.SweepEvery = 24 * time.Hour // the test sweeps itself
	})
	return m
}

func numbered(n int) outbound.Owner { return outbound.Owner{Kind: "Test", Name: fmt.Sprint(n)} }

func plainConfig(trust outbound.Trust) outbound.Config {
	return outbound.Config{Profile: profile.Name, Endpoints: []string{apiURL}, Trust: trust}
}

func (m *model) acquire(n int) {
	lease, err := m.factory.Acquire(m.t.Context(), numbered(n), plainConfig(m.trust))
	if m.closed {
		if !errors.Is(err, outbound.ErrClosed) {
			m.t.Fatalf("Acquire = %v after Close", err)
		}
		return
	}
	if err != nil {
		m.t.Fatal(err)
	}
	k := modelKey{n, m.trust.current}
	v, known := m.live[k]
	if !known {
		v = &modelVersion{key: k, first: lease}
		lease.OnClose(func() { v.closed = true })
		m.live[k] = v
		m.all = append(m.all, v)
	}
	if !lease.IsSame(v.first) {
		m.t.Fatalf("%v has another client than before", k)
	}
	v.borrowers++
	v.lastAcquired = m.clock.Now()
	m.leases = append(m.leases, modelLease{lease, v})
}

func (m *model) release(i int) {
	lease := m.leases[i]
	m.leases = append(m.leases[:i:i], m.leases[i+1:]...)
	lease.Release()
	lease.version.borrowers--
	if m.closed && lease.version.borrowers == 0 {
		delete(m.live, lease.version.key)
	}
}

func (m *model) sweep() {
	m.factory.Sweep()
	for k, v := range m.live {
		if v.borrowers == 0 && m.clock.Now().Sub(v.lastAcquired) >= outbound.DefaultIdleAfter {
			delete(m.live, k)
		}
	}
}

func (m *model) close() {
	m.factory.Close()
	m.closed = true
	for k, v := range m.live {
		if v.borrowers == 0 {
			delete(m.live, k)
		}
	}
}

// check compares: closed is what the model no longer knows, and nothing else.
func (m *model) check(step string) {
	m.t.Helper()
	for _, v := range m.all {
		if live := m.live[v.key] == v; v.closed == live {
			m.t.Fatalf("after %s %v is closed = %v, and should live = %v", step, v.key, v.closed, live)
		}
	}
	if got := m.factory.Versions(); !m.closed && got != len(m.live) {
		m.t.Fatalf("after %s there are %d clients, want %d", step, got, len(m.live))
	}
}

func (m *model) step(random *rand.Rand) string {
	switch choice := random.IntN(100); {
	case choice < 35:
		m.acquire(random.IntN(3))
		return "acquire"
	case choice < 65:
		if len(m.leases) > 0 {
			m.release(random.IntN(len(m.leases)))
		}
		return "release"
	case choice < 75:
		m.trust.turn(random.IntN(len(m.trust.roots)))
		return "rotate"
	case choice < 90:
		m.clock.advance(time.Duration(random.IntN(20)) * time.Minute)
		return "advance"
	case choice < 99:
		m.sweep()
		return "sweep"
	}
	m.close()
	return "close"
}

func TestTheFactoryDoesAsItsModel(t *testing.T) {
	trust := newRotation(t, 3)
	for seed := range uint64(30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			m, random := newModel(t, trust), rand.New(rand.NewPCG(seed, 1))
			for range 200 {
				m.check(m.step(random))
			}
		})
	}
}

// All at once, and what must hold whatever the order.
func TestABorrowedClientIsNeverClosedAndNeverSharedWhateverTheOrder(t *testing.T) {
	trust, moment := newRotation(t, 3), &clock{now: time.Now()}
	factory := newFactory(t, func(o *outbound.Options) {
		o.Now = moment.Now
		o.SweepEvery = time.Hour
	})
	var all sync.WaitGroup
	for n := range 4 {
		for worker := range 2 {
			all.Go(func() { borrowAndLook(t, factory, trust, n, rand.New(rand.NewPCG(uint64(n), uint64(worker)))) })
		}
	}
	all.Go(func() {
		for i := range 300 {
			trust.turn(i % len(trust.roots))
			moment.advance(20 * time.Minute)
			factory.Sweep()
		}
	})
	all.Wait()
	moment.advance(time.Hour)
	factory.Sweep()
	if got := factory.Versions(); got != 0 {
		t.Errorf("%d clients are left over", got)
	}
}

func borrowAndLook(t *testing.T, factory *outbound.Factory, trust outbound.Trust, n int, random *rand.Rand) {
	mine, other := numbered(n), numbered(n+1)
	for range 300 {
		lease, err := factory.Acquire(t.Context(), mine, plainConfig(trust))
		if err != nil {
			t.Error(err)
			return
		}
		theirs, err := factory.Acquire(t.Context(), other, plainConfig(trust))
		if err != nil {
			t.Error(err)
			return
		}
		if lease.IsSame(theirs) {
			t.Error("two owners share a client")
		}
		if random.IntN(2) == 0 {
			theirs.Release()
		} else {
			defer theirs.Release()
		}
		if !factory.Kept(lease) {
			t.Error("a borrowed client is closed")
		}
		lease.Release()
	}
}

func TestClosingAmidAcquisitionsLeavesNothingOpen(t *testing.T) {
	c := &cast{}
	factory := newFactory(t, func(o *outbound.Options) {
		o.Wrap = func(http.RoundTripper) http.RoundTripper { return c }
	})
	start := make(chan struct{})
	var all sync.WaitGroup
	var mu sync.Mutex
	open := map[*outbound.Lease]bool{}
	for n := range 8 {
		all.Go(func() {
			<-start
			lease, err := factory.Acquire(t.Context(), numbered(n), passwordConfig())
			if err != nil {
				expectError(t, err, "transient", "is closed")
				return
			}
			mu.Lock()
			open[lease] = true
			mu.Unlock()
			lease.OnClose(func() { mu.Lock(); defer mu.Unlock(); delete(open, lease) })
			lease.Release()
		})
	}
	all.Go(func() { <-start; factory.Close() })
	close(start)
	all.Wait()
	if len(open) != 0 {
		t.Errorf("%d clients are open", len(open))
	}
}
