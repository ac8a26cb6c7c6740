package controlplane

import (
	"bytes"
	"io"
)

// lineWriter passes on whole lines, each in one Write. It is used by one
// goroutine at a time.
type lineWriter struct {
	to      io.Writer // nil drops all
	partial []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.partial = append(w.partial, p...)
	for {
		end := bytes.IndexByte(w.partial, '\n') + 1
		if end == 0 {
			return len(p), nil
		}
		w.emit(w.partial[:end])
		w.partial = w.partial[end:]
	}
}

// flush passes on a last line that lacks its newline.
func (w *lineWriter) flush() {
	if len(w.partial) > 0 {
		w.emit(append(w.partial, '\n'))
		w.partial = nil
	}
}

// emit ignores errors: a process must not die of a broken pipe because its
// reader is gone.
func (w *lineWriter) emit(line []byte) {
	if w.to != nil {
		_, _ = w.to.Write(line)
	}
}
