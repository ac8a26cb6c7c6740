// Package recording keeps what a process or a logger writes while a test runs.
package recording

import (
	"strings"
	"sync"
)

// Log is all that was written to it so far. Its zero value is empty. It is safe
// for concurrent use.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write never fails.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
