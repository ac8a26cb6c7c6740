package outbound_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// connections counts those that a server has, and says when there is none.
type connections struct {
	mu    sync.Mutex
	open  map[net.Conn]bool
	total int
	none  chan struct{}
}

func newConnections() *connections {
	return &connections{open: map[net.Conn]bool{}, none: make(chan struct{}, 100)}
}

func (c *connections) watch(s *httptest.Server) {
	s.Config.ConnState = func(connection net.Conn, state http.ConnState) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch state {
		case http.StateNew:
			c.open[connection] = true
			c.total++
		case http.StateClosed, http.StateHijacked:
			if delete(c.open, connection); len(c.open) == 0 {
				c.none <- struct{}{}
			}
		}
	}
}

func (c *connections) expectNone(t *testing.T) {
	t.Helper()
	select {
	case <-c.none:
	case <-t.Context().Done():
		t.Error("a connection is open")
	case <-time.After(time.Minute):
		t.Error("a connection is still open after a minute")
	}
}

// opaque hides all methods of a transport but one, as wrappers do.
type opaque struct{ next http.RoundTripper }

func (o *opaque) RoundTrip(r *http.Request) (*http.Response, error) { return o.next.RoundTrip(r) }

func TestAClientThatGoesClosesItsIdleConnectionsUnderAllWrappers(t *testing.T) {
	for name, http1 := range map[string]bool{"HTTP/2": false, "HTTP/1.1": true} {
		t.Run(name, func(t *testing.T) {
			private, seen, moment := newAuthority(t, "private"), newConnections(), &clock{now: time.Now()}
			server := private.serve(t, realm(t), seen.watch, func(s *httptest.Server) { s.EnableHTTP2 = !http1 })
			factory := newFactory(t, func(o *outbound.Options) {
				o.Now, o.SweepEvery = moment.Now, time.Hour
				o.Wrap = func(next http.RoundTripper) http.RoundTripper { return &opaque{next} }
			})
			config := passwordConfig()
			config.Endpoints, config.Auth.TokenURL, config.Trust = []string{server.URL}, server.URL+"/token", trusting(private)
			lease := acquire(t, factory, config)
			for range 10 {
				expectStatus(t, lease.Client(), server.URL, http.StatusOK)
			}
			lease.Release()
			moment.advance(outbound.DefaultIdleAfter)
			factory.Sweep()
			seen.expectNone(t)
			if seen.total != 1 {
				t.Errorf("%d connections were made, want that one is used again", seen.total)
			}
		})
	}
}

// counting counts what clients send, TLS records and all.
type counting struct {
	net.Listener
	read *atomic.Int64
}

type countingConn struct {
	net.Conn
	read *atomic.Int64
}

func (c counting) Accept() (net.Conn, error) {
	connection, err := c.Listener.Accept()
	return countingConn{connection, c.read}, err
}

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// TLS says goodbye, so that the server can tell an end from a break, RFC 8446,
// section 6.1.
func TestAnIdleConnectionIsClosedAsTLSHasIt(t *testing.T) {
	private, seen, moment := newAuthority(t, "private"), newConnections(), &clock{now: time.Now()}
	var read atomic.Int64
	server := private.serve(t, ok, seen.watch, func(s *httptest.Server) {
		s.EnableHTTP2 = false
		s.Listener = counting{s.Listener, &read}
	})
	factory := newFactory(t, func(o *outbound.Options) { o.Now, o.SweepEvery = moment.Now, time.Hour })
	config := plainConfig(trusting(private))
	config.Endpoints = []string{server.URL}
	lease := acquire(t, factory, config)
	expectStatus(t, lease.Client(), server.URL, http.StatusNoContent)
	lease.Release()
	before := read.Load()
	moment.advance(outbound.DefaultIdleAfter)
	factory.Sweep()
	seen.expectNone(t)
	if read.Load() == before {
		t.Error("the connection was cut")
	}
}

func TestAClientThatCannotBeMadeLeavesNoConnection(t *testing.T) {
	private, seen := newAuthority(t, "private"), newConnections()
	server := private.serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }, seen.watch)
	config := passwordConfig()
	config.Auth.TokenURL, config.Trust = server.URL+"/token", trusting(private)
	_, err := newFactory(t, nil).Acquire(t.Context(), owner, config)
	expectError(t, err, "remote", "answers 400 Bad Request")
	seen.expectNone(t)
}

// Somebody forgot to close a body.
func TestAClientThatGoesCutsOffWhatIsLeftUnderWay(t *testing.T) {
	private, seen, moment := newAuthority(t, "private"), newConnections(), &clock{now: time.Now()}
	server := private.serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, seen.watch)
	factory := newFactory(t, func(o *outbound.Options) { o.Now, o.SweepEvery = moment.Now, time.Hour })
	config := plainConfig(trusting(private))
	config.Endpoints = []string{server.URL}
	lease := acquire(t, factory, config)
	response, err := lease.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	lease.Release()
	moment.advance(outbound.DefaultIdleAfter)
	factory.Sweep()
	seen.expectNone(t)
	_ = response.Body.Close()
}

func TestARequestUnderWayOutlivesTheFactory(t *testing.T) {
	private := newAuthority(t, "private")
	arrived, goOn := make(chan struct{}), make(chan struct{})
	server := private.serve(t, func(http.ResponseWriter, *http.Request) { close(arrived); <-goOn })
	lifetime, end := context.WithCancel(t.Context())
	factory := outbound.NewFactory(lifetime, outbound.Options{})
	if err := factory.Register(profile); err != nil {
		t.Fatal(err)
	}
	config := plainConfig(trusting(private))
	config.Endpoints = []string{server.URL}
	lease := acquire(t, factory, config)
	answered := make(chan error)
	go func() {
		_, err := get(t, lease.Client(), server.URL)
		answered <- err
	}()
	<-arrived
	end()
	factory.Close()
	close(goOn)
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// realm is an identity provider and the backend that believes it.
func realm(t *testing.T) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/token":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token": "real", "token_type": "Bearer", "expires_in": 3600}`))
		case r.Header.Get("Authorization") != "Bearer real":
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
}

func TestTokensAreAskedForUnderTheSameTrust(t *testing.T) {
	backend, provider := newAuthority(t, "backend"), newAuthority(t, "provider")
	idp := provider.serve(t, realm(t))
	api := backend.serve(t, realm(t))
	config := credentialsConfig()
	config.Endpoints, config.Auth.TokenURL = []string{api.URL}, idp.URL+"/token"
	factory := newFactory(t, nil)
	config.Trust = trusting(backend)
	_, err := get(t, acquire(t, factory, config).Client(), api.URL)
	expectError(t, err, "remote", "get a token: the certificate of ")
	config.Trust = trusting(backend, provider)
	expectStatus(t, acquire(t, factory, config).Client(), api.URL, http.StatusOK)
}

func TestAServerThatIsNotThereIsTransient(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{"https://" + address}, Trust: outbound.SystemRoots{}}
	_, err = get(t, acquire(t, newFactory(t, nil), config).Client(), "https://"+address)
	expectError(t, err, "transient", "the connection to "+address+" failed: connection refused")
}

func TestAServerWithoutTLSIsARemoteError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(ok))
	defer server.Close()
	address := server.Listener.Addr().String()
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{"https://" + address}, Trust: outbound.SystemRoots{}}
	_, err := get(t, acquire(t, newFactory(t, nil), config).Client(), "https://"+address)
	expectError(t, err, "remote", address+" does not speak TLS")
}

// The server's words are in net/http's error.
func TestAnAnswerThatIsNotHTTPIsNotRepeated(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(connection))
			_, _ = connection.Write([]byte(canary + "\r\n\r\n"))
			_ = connection.Close()
		}
	}()
	address := "http://" + listener.Addr().String()
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{address}, Trust: outbound.SystemRoots{}}
	_, err = get(t, acquire(t, newFactory(t, nil), config).Client(), address)
	if kind(err) != "transient" {
		t.Errorf("error = %v (%s), want a transient one", err, kind(err))
	}
	expectNoCanary(t, err)
}

func TestTheSystemPoolIsTheSystemsByDefault(t *testing.T) {
	factory := newFactory(t, func(o *outbound.Options) { o.SystemPool = nil })
	if _, err := x509.SystemCertPool(); err != nil {
		t.Skip("this system has none")
	}
	acquire(t, factory, outbound.Config{Profile: profile.Name, Endpoints: []string{apiURL}, Trust: outbound.SystemRoots{}})
}

func TestAnExporterSeesWhatIsTemporary(t *testing.T) {
	for name, tc := range map[string]struct {
		c    *cast
		want bool
	}{
		"transient":                 {&cast{api: func(*http.Request, url.Values) (*http.Response, error) { return nil, errors.New("reset") }}, true},
		"transient, for a token":    {&cast{token: always(503, "")}, true},
		"remote, for a token":       {&cast{token: always(400, "")}, false},
		"remote, for its redirects": {&cast{api: always(302, "")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			transport := outbound.Transport(tc.c.factory(t), owner, func(context.Context) (outbound.Config, error) { return credentialsConfig(), nil })
			_, err := get(t, &http.Client{Transport: transport}, apiURL)
			temporary, ok := err.(interface{ Temporary() bool }) // *url.Error, as the OTLP exporters ask it
			if !ok || temporary.Temporary() != tc.want {
				t.Errorf("error = %v, temporary = %v, want %v", err, ok && temporary.Temporary(), tc.want)
			}
		})
	}
}
