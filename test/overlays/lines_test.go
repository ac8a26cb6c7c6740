package overlays

import (
	"strings"
	"sync"
)

// lines is the adapters' log, in which a line can be waited for.
type lines struct {
	mu    sync.Mutex
	found func()
	parts []string
}

// onLine has found called for each line from now on that has all the parts; nil
// ends that.
func (l *lines) onLine(found func(), parts ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found, l.parts = found, parts
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found == nil {
		return len(line), nil
	}
	for _, part := range l.parts {
		if !strings.Contains(string(line), part) {
			return len(line), nil
		}
	}
	l.found()
	return len(line), nil
}
