package sources

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// sent is an event that arrived, and how it was answered.
type sent struct {
	Type, Source          string
	Kind, Namespace, Name string // of the object that it is about, if there is one
	Status                int
}

// sink stands where a source's sink is, and remembers what was sent there.
type sink struct {
	*httptest.Server

	mu       sync.Mutex
	arrivals []sent
}

// newSink passes on what it is sent and answers as it is answered.
func newSink(to string) (*sink, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	s := &sink{}
	s.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(response *http.Response) error {
			s.note(response.Request.Header, response.StatusCode)
			return nil
		},
	})
	return s, nil
}

// newEnd accepts what it is sent, and goes with the test.
func newEnd(t *testing.T) *sink {
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.note(r.Header, http.StatusAccepted)
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) note(header http.Header, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals = append(s.arrivals, sent{
		Type: header.Get("Ce-Type"), Source: header.Get("Ce-Source"), Kind: header.Get("Ce-Kind"),
		Namespace: header.Get("Ce-Namespace"), Name: header.Get("Ce-Name"), Status: status,
	})
}

// arrived returns what has arrived of which is is true.
func (s *sink) arrived(is func(sent) bool) []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []sent
	for _, event := range s.arrivals {
		if is(event) {
			found = append(found, event)
		}
	}
	return found
}
