package controlplane

import (
	"strings"
	"sync"
)

// tailBytes is how much of a program's output an error may show.
const tailBytes = 16 << 10

// outputTail keeps the end of what is written to it. It is safe for concurrent
// use.
type outputTail struct {
	mu   sync.Mutex
	data []byte
}

func (t *outputTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if excess := len(t.data) - tailBytes; excess > 0 {
		t.data = append(t.data[:0], t.data[excess:]...)
	}
	return len(p), nil
}

func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.data))
}

func (t *outputTail) lastLine() string {
	text := t.String()
	return text[strings.LastIndexByte(text, '\n')+1:]
}
