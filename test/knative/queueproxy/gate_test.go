package queueproxy

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// gate stands before the handler, where queue-proxy looks for it. It counts events
// and, while it is shut, holds them. Probes pass.
type gate struct {
	*httptest.Server
	to    atomic.Pointer[url.URL] // nil until there is a handler
	tried chan struct{}           // one is sent, if there is room, while there is none

	mu           sync.Mutex
	open         chan struct{} // closed while the gate is open
	inside, most int
}

func newGate(t *testing.T) *gate {
	g := &gate{open: make(chan struct{}), tried: make(chan struct{}, 1)}
	close(g.open)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(g.to.Load()) }}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.to.Load() == nil {
			select {
			case g.tried <- struct{}{}:
			default:
			}
			panic(http.ErrAbortHandler) // as good as nobody that listens
		}
		if r.Method == http.MethodPost {
			<-g.enter()
			defer g.leave()
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		g.release()
		g.Close()
	})
	return g
}

func (g *gate) lead(to string) {
	target, err := url.Parse(to)
	if err != nil {
		panic(err)
	}
	g.to.Store(target)
}

func (g *gate) enter() (open <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside++
	g.most = max(g.most, g.inside)
	return g.open
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
}

// counts returns how many events are with the handler, and how many were at most.
func (g *gate) counts() (inside, most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside, g.most
}

// shut has events from now on wait until release.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = make(chan struct{})
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}
