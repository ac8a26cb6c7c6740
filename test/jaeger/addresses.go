package jaeger

import (
	"encoding/json"
	"io"
	"sync"
)

// addressFinder finds in Jaeger's log where it listens, and passes the log on.
type addressFinder struct {
	to io.Writer // nil drops it
	// complete is closed once otlp and query are known; they are not written
	// afterwards.
	complete    chan struct{}
	otlp, query string

	mu   sync.Mutex
	line string
}

func newAddressFinder(to io.Writer) *addressFinder {
	return &addressFinder{to: to, complete: make(chan struct{})}
}

// Write takes one line of the log.
func (f *addressFinder) Write(line []byte) (int, error) {
	f.mu.Lock()
	f.line = string(line)
	f.mu.Unlock()
	f.find(line)
	if f.to == nil {
		return len(line), nil
	}
	return f.to.Write(line)
}

func (f *addressFinder) find(line []byte) {
	if f.otlp != "" && f.query != "" {
		return
	}
	var entry struct {
		Msg      string
		Endpoint string // of the OTLP receiver
		HTTPAddr string `json:"http_addr"` // of the query extension
	}
	if json.Unmarshal(line, &entry) != nil {
		return
	}
	switch entry.Msg {
	case "Starting HTTP server":
		// The query extension says so too, without an endpoint.
		if entry.Endpoint != "" {
			f.otlp = entry.Endpoint
		}
	case "Query server started":
		f.query = entry.HTTPAddr
	}
	if f.otlp != "" && f.query != "" {
		close(f.complete)
	}
}

// last returns the line that came last.
func (f *addressFinder) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.line
}
