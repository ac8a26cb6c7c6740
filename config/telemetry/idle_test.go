package telemetry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clocked returns an idle whose flushes take that long, and when they began.
func clocked(takes time.Duration) (*idle, *[]time.Duration) {
	start, began := time.Now(), new([]time.Duration)
	return &idle{flush: func() {
		*began = append(*began, time.Since(start))
		time.Sleep(takes)
	}}, began
}

func TestWhenAFlushBegins(t *testing.T) {
	const ms = time.Millisecond
	work := func(i *idle, d time.Duration) { i.begin(); time.Sleep(d); i.end() }
	for _, tc := range []struct {
		name  string
		takes time.Duration
		do    func(*idle)
		want  []time.Duration
	}{
		{"never without work", 0, func(*idle) {}, nil},
		{"a quiet moment after the work", 0, func(i *idle) { work(i, 50*ms) }, []time.Duration{250 * ms}},
		{"after the last of a burst", 0, func(i *idle) {
			for range 5 {
				work(i, 10*ms)
				time.Sleep(150 * ms)
			}
		}, []time.Duration{850 * ms}}, // the last ends at 650 ms
		{"after the last of two side by side", 0, func(i *idle) { i.begin(); work(i, 10*ms); time.Sleep(time.Second); i.end() }, []time.Duration{1210 * ms}},
		{"not in the midst of work", 0, func(i *idle) { work(i, 0); time.Sleep(100 * ms); work(i, time.Second) }, []time.Duration{1300 * ms}},
		{"once for each piece of work that stands alone", 0, func(i *idle) { work(i, 0); time.Sleep(5 * time.Second); work(i, 0) },
			[]time.Duration{200 * ms, 5200 * ms}},
		{"no sooner than a pause after the one before", 0, func(i *idle) {
			for range 4 {
				work(i, 0)
				time.Sleep(300 * ms)
			}
		}, []time.Duration{200 * ms, 1200 * ms}},
		{"not while another goes on", 3 * time.Second, func(i *idle) { work(i, 0); time.Sleep(time.Second); work(i, 0) },
			[]time.Duration{200 * ms, 4200 * ms}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i, began := clocked(tc.takes)
				tc.do(i)
				time.Sleep(time.Minute)
				synctest.Wait()
				if diff := cmp.Diff(tc.want, *began); diff != "" {
					t.Errorf("flushes began (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestWorkDoesNotWaitForAFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i, _ := clocked(time.Hour)
		i.begin()
		i.end()
		time.Sleep(time.Second) // the flush is under way
		start := time.Now()
		i.begin()
		i.end()
		if took := time.Since(start); took != 0 {
			t.Errorf("work took %s, want no time", took)
		}
		time.Sleep(3 * time.Hour)
	})
}
