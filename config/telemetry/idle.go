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
	armed    bool // there will be a look whether it is time
	flushing bool
	ended    time.Time // when the last work did
	flushed  time.Time // when the last flush ended
}

func (i *idle) begin() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working++
}

func (i *idle) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.working--
	i.unsent, i.ended = true, time.Now()
	i.arm()
}

// arm has somebody look once it may be time, unless somebody does already: to set a
// timer again for each piece of work costs more than a look that comes too early.
func (i *idle) arm() {
	if i.working > 0 || i.flushing || i.armed || !i.unsent {
		return
	}
	i.armed = true
	time.AfterFunc(i.due(), i.look)
}

// due returns how long it is until a flush may begin: quiet after the last work, and
// flushPause after the last flush.
func (i *idle) due() time.Duration {
	return max(quiet-time.Since(i.ended), flushPause-time.Since(i.flushed))
}

func (i *idle) look() {
	if !i.starts() {
		return
	}
	i.flush()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.flushing, i.flushed = false, time.Now()
	i.arm()
}

// starts reports whether it is time. Where it is not yet, there will be another look.
func (i *idle) starts() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.armed = false
	if i.working > 0 || i.due() > 0 {
		i.arm()
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
