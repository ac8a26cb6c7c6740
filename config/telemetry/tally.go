package telemetry

import (
	"errors"
	"fmt"
	"sync"
)

// errNoRoom is why the SDK drops an item; it does not say when it does.
var errNoRoom = errors.New("the queue was full, or a flush ran out of time")

// tally counts what becomes of a signal's items: of spans, of log records, of
// pushes of all metrics. It is safe for concurrent use.
type tally struct {
	signal signal
	losses *losses
	// room is how many items may wait, or be on their way to the collector; 0: the
	// queue alone knows.
	room int64

	mu sync.Mutex
	// taken have been given a place; what became of these the four below tell. Refused
	// are those for which there was none: they were never offered.
	taken, refused int64
	// offered to the queue, taken by the collector, failed on the way to it, and
	// dropped by the queue.
	offered, sent, failed, dropped int64
	closed                         bool
	// failure is how the last try of the export that is under way ended; nil if it
	// did not fail, or there was none.
	failure error
}

// offer takes note of an item that has been offered to the queue. It must be
// called afterwards: see settle.
func (t *tally) offer() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.offered++
}

// take gives an item a place, which its export ends, or refuses it.
func (t *tally) take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full() {
		t.refuse()
		return false
	}
	t.taken++
	return true
}

// refuseIfFull reports whether there is no place, and takes note of an item then
// that is not made for that.
func (t *tally) refuseIfFull() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.full() {
		return false
	}
	t.refuse()
	return true
}

// full reports, under the lock, whether there is no place.
func (t *tally) full() bool {
	return t.room > 0 && t.taken-t.sent-t.failed-t.dropped >= t.room
}

// refuse takes note, under the lock, of an item without a place.
func (t *tally) refuse() {
	if t.closed { // nobody is told any more
		return
	}
	t.refused++
	t.losses.add(t.signal, 1, errNoRoom)
}

// exported takes note of an export's end.
func (t *tally) exported(n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failure = nil
	switch {
	case t.closed: // told as lost already
		return
	case err == nil:
		t.sent += int64(n)
		return
	}
	t.failed += int64(n)
	t.losses.add(t.signal, int64(n), err) // which waits for nothing
}

// tried takes note of how a try of the export that is under way ended.
func (t *tally) tried(failure error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failure = failure
}

// offers returns how many items have been offered.
func (t *tally) offers() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.offered
}

// settle is told after a flush how many items had been offered before it. Of
// these each has been exported or dropped, so what is missing was dropped. Items
// that have come since may be among the exported and hide some; the next flush
// finds those.
func (t *tally) settle(offered int64, why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(offered, why)
}

// close counts all that is not sent by now as dropped. What keeps an export from
// its end is a part of the reason.
func (t *tally) close(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure != nil {
		why = fmt.Errorf("%w; the last try: %w", why, t.failure)
	}
	t.drop(t.offered, why)
	t.closed = true
}

func (t *tally) drop(offered int64, why error) {
	if found := offered - t.sent - t.failed - t.dropped; found > 0 {
		t.dropped += found
		t.losses.add(t.signal, found, why)
	}
}

// lost returns how many items are known to have been lost.
func (t *tally) lost() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed + t.dropped + t.refused
}
