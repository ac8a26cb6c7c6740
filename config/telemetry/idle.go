package telemetry

import (
	"net/http"
	"sync"
	"time"
)

// idle flushes when a process that has worked is about to idle: one that scales
// to zero may be frozen then, or be gone before a batch is due. It is safe for
// concurrent use, and makes nobody wait.
type idle struct {
	flush func() // takes the longest time for one batch at most

	mu       sync.Mutex
	working  int
	unsent   bool // work has ended since the last flush began
	flushing bool
	flushed  time.Time // when the last flush ended
	timer    *time.Timer
}

func (i *idle) begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working++
	if i.timer != nil {
		i.timer.Stop()
	}
}

func (i *idle) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working--
	i.unsent = true
	i.arm()
}

// arm has the flush begin after the quiet, unless there is work by then.
func (i *idle) arm() {
	if i.working > 0 || i.flushing || !i.unsent {
		return
	}
	pause := max(quiet, flushPause-time.Since(i.flushed))
	if i.timer == nil {
		i.timer = time.AfterFunc(pause, i.run)
		return
	}
	i.timer.Reset(pause)
}

func (i *idle) run() {
	if !i.starts() {
		return
	}
	i.flush()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flushing, i.flushed = false, time.Now()
	i.arm()
}

// starts reports whether the flush is still wanted: a timer that is stopped too
// late runs all the same.
func (i *idle) starts() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.working > 0 || i.flushing || !i.unsent {
		return false
	}
	i.flushing, i.unsent = true, false
	return true
}

// FlushWhenIdle returns a handler that answers as next does. Shortly after the
// last of the requests that are under way has been answered, what telemetry they
// have left is sent; nobody waits for that. Only POST requests count: what else
// comes in are probes.
func (t *Telemetry) FlushWhenIdle(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			defer t.Work()()
		}
		next.ServeHTTP(w, r)
	})
}

// Work says that work has begun which is no request. Its end, done, is to be told
// once.
func (t *Telemetry) Work() (done func()) {
	if t.idle == nil {
		return func() {}
	}
	t.idle.begin()
	return t.idle.end
}
