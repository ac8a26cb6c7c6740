package main

import (
	"fmt"
	"io"
	"sync"
)

// terminal keeps apart what several goroutines print: each Write is a whole.
type terminal struct {
	mu sync.Mutex
	w  io.Writer
}

func (t *terminal) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.w.Write(text)
}

func (t *terminal) section(title string) { fmt.Fprintf(t, "\n== %s\n", title) }
