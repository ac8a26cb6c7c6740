package broker

import (
	"bytes"
	"sync"
)

// recording keeps the end of what the processes print, to be shown when
// something has failed.
type recording struct {
	mu  sync.Mutex
	end []byte
}

const kept = 64 << 10

func (r *recording) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = append(r.end, line...)
	if over := len(r.end) - kept; over > 0 {
		r.end = bytes.Clone(r.end[over:])
	}
	return len(line), nil
}

func (r *recording) tail() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.end)
}
