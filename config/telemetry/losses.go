package telemetry

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// losses tells what is lost, in one line for all signals and at most one each
// lossPause: a collector that is away must not fill the log.
type losses struct {
	logger *slog.Logger

	mu     sync.Mutex
	untold map[signal]loss
	timer  *time.Timer // of the next line; nil if there is nothing to tell
	told   time.Time   // when the last line was written
	closed bool
}

type loss struct {
	items int64
	last  error
}

func newLosses(logger *slog.Logger) *losses {
	return &losses{logger: logger, untold: map[signal]loss{}}
}

// add takes note of a loss, which is told later. It never waits.
func (l *losses) add(s signal, items int64, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.untold[s] = loss{l.untold[s].items + items, why}
	if l.timer == nil {
		l.timer = time.AfterFunc(max(lossGather, lossPause-time.Since(l.told)), l.tell)
	}
}

// tell writes the line. It holds no lock meanwhile: who adds to the next one
// should not wait for a slow log.
func (l *losses) tell() {
	untold := l.take()
	if len(untold) == 0 {
		return
	}
	var attributes []any
	for _, s := range slices.Sorted(maps.Keys(untold)) {
		attributes = append(attributes, slog.Group(string(s),
			slog.Int64("lost", untold[s].items), slog.String("error", shorten(untold[s].last.Error()))))
	}
	l.logger.Warn("telemetry is lost", attributes...)
}

func (l *losses) take() map[signal]loss {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		return nil
	}
	l.timer.Stop()
	untold := l.untold
	l.untold, l.timer, l.told = map[signal]loss{}, nil, time.Now()
	return untold
}

// close writes the last line, if there is something to tell. Afterwards nothing
// more is told.
func (l *losses) close() {
	l.tell()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// shorten bounds a text that quotes what a collector has answered.
func shorten(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxLossError)], "")
}
