package broker

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
)

// names stands in for the cluster's DNS and Services: an HTTP proxy that leads
// names to ports on loopback, and remembers what the handler answered.
type names struct {
	*httptest.Server
	to map[string]string // the end of a host's name, and what listens there

	mu      sync.Mutex
	answers []int // of the handler, to requests by way of the Broker
	refused bool
}

const handlerHost = "gateway-cert-handler.gateway-cert.svc.cluster.local"

func serveNames(to map[string]string) *names {
	n := &names{to: to}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host = r.In.Host
			r.Out.URL.Scheme, r.Out.URL.Host = "http", n.lead(r.In.URL.Hostname())
		},
		ModifyResponse: func(response *http.Response) error {
			n.note(response.Request.Host, response.StatusCode)
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			n.note(r.Host, http.StatusBadGateway)
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == handlerHost && n.refuses() {
			n.note(r.Host, http.StatusBadRequest)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	return n
}

func (n *names) lead(host string) string {
	for end, address := range n.to {
		if strings.HasSuffix(host, end) {
			return address
		}
	}
	return "127.0.0.1:1" // nobody listens there
}

func (n *names) note(host string, status int) {
	if host != handlerHost {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers = append(n.answers, status)
}

// answered returns what the handler answered since the last call of forget.
func (n *names) answered() []int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]int(nil), n.answers...)
}

// refuse has every event answered 400 before it gets to the handler, as by an
// older one that could not read it.
func (n *names) refuse(all bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refused = all
}

func (n *names) refuses() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refused
}

func (n *names) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers = nil
}

// shelf stands in for the JobSink: it keeps the events that are sent to it.
type shelf struct {
	*httptest.Server

	mu     sync.Mutex
	events []event.Event
	paths  []string
}

func serveShelf() *shelf {
	s := &shelf{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := cehttp.NewEventFromHTTPRequest(r)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		s.events, s.paths = append(s.events, *e), append(s.paths, r.URL.Path)
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
	}))
	return s
}

// empty returns what is on the shelf and takes it off.
func (s *shelf) empty() (events []event.Event, paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, paths = s.events, s.paths
	s.events, s.paths = nil, nil
	return events, paths
}

// next waits for an event on the shelf.
func (s *shelf) next(ctx context.Context) (event.Event, string, error) {
	for {
		s.mu.Lock()
		if len(s.events) > 0 {
			e, path := s.events[0], s.paths[0]
			s.events, s.paths = s.events[1:], s.paths[1:]
			s.mu.Unlock()
			return e, path, nil
		}
		s.mu.Unlock()
		if err := pause(ctx); err != nil {
			return event.Event{}, "", err
		}
	}
}
