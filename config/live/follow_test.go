package live_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
)

// source stands for the file, so that time can be a test's own; watch_test.go has
// real ones.
type source struct {
	mu      sync.Mutex
	text    string // allowedHostnames of the settings; "bad…" cannot be loaded
	loading func() // called while it is being loaded, if not nil
	loads   int
}

func (s *source) load() (config.HandlerConfig, error) {
	s.mu.Lock()
	text, loading := s.text, s.loading
	s.loads++
	s.mu.Unlock()
	if loading != nil {
		loading()
	}
	if len(text) > 2 && text[:3] == "bad" {
		return config.HandlerConfig{}, errors.New(text)
	}
	return config.HandlerConfig{Defaults: config.Defaults{AllowedHostnames: text}}, nil
}

func (s *source) set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

// following is what one test follows.
type following struct {
	*source
	*live.Settings[string]
	touched  chan struct{}
	reported []string // only to be read when all else is blocked
}

// follow begins within a synctest bubble.
func follow(t *testing.T, build func(context.Context, config.HandlerConfig) (string, error)) *following {
	t.Helper()
	f := &following{source: &source{text: "first"}, touched: make(chan struct{}, 1)}
	var err error
	f.Settings, err = live.Open(t.Context(), live.Options[string]{Load: f.load, Build: build, Report: f.report})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Follow(ctx, f.touched) }()
	t.Cleanup(func() { cancel(); <-done })
	return f
}

func (f *following) report(_ context.Context, c live.Change[string]) {
	said := fmt.Sprintf("%d %s", c.Now.Generation, c.Now.Built)
	if c.Err != nil {
		said += ", not " + c.Err.Error()
	} else if c.Before == c.Now {
		said += " again"
	}
	f.reported = append(f.reported, said)
}

// becomes writes a version and waits until it must have been seen.
func (f *following) becomes(text string) {
	f.set(text)
	f.touch()
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

func (f *following) touch() {
	select {
	case f.touched <- struct{}{}:
	default:
	}
}

func (f *following) inForce() string {
	now := f.InForce()
	return fmt.Sprintf("%d %s", now.Generation, now.Built)
}

func asWritten(_ context.Context, settings config.HandlerConfig) (string, error) {
	if settings.Defaults.AllowedHostnames == "unbuildable" {
		return "", errors.New("cannot be built")
	}
	return settings.Defaults.AllowedHostnames, nil
}

func TestTheLastGoodVersionStaysInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, asWritten)
		var got []string
		for _, text := range []string{"second", "bad one", "bad one", "bad two", "second", "unbuildable", "third", "third"} {
			f.becomes(text)
			got = append(got, f.inForce())
		}
		want := []string{"2 second", "2 second", "2 second", "2 second", "2 second", "2 second", "3 third", "3 third"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in force (-want +got):\n%s", diff)
		}
		want = []string{"2 second", "2 second, not bad one", "2 second, not bad two", "2 second again", "2 second, not cannot be built", "3 third"}
		if diff := cmp.Diff(want, f.reported); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

func TestAChangeDuringALoadIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, asWritten)
		once := sync.OnceFunc(func() { f.set("third"); f.touch() })
		f.mu.Lock()
		f.loading = once
		f.mu.Unlock()
		f.becomes("second")
		if got := f.inForce(); got != "3 third" {
			t.Errorf("in force is %q, want what came while second was loaded", got)
		}
	})
}

func TestAFileIsReadOnceItHasBeenLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, asWritten)
		f.set("bad half")
		f.touch()
		time.Sleep(50 * time.Millisecond)
		f.becomes("second")
		if diff := cmp.Diff([]string{"2 second"}, f.reported); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

func TestADirectoryThatNeverRestsKeepsNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, asWritten)
		f.set("second")
		for range 40 {
			f.touch()
			time.Sleep(50 * time.Millisecond)
		}
		if got := f.inForce(); got != "2 second" {
			t.Errorf("in force after 2 s is %q", got)
		}
	})
}

func TestAChangeThatNobodyReportedIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, asWritten)
		f.set("second")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := f.inForce(); got != "2 second" {
			t.Errorf("in force after two minutes is %q", got)
		}
	})
}

func TestWhatFailedToBuildIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mended atomic.Bool
		f := follow(t, func(ctx context.Context, settings config.HandlerConfig) (string, error) {
			if !mended.Load() && settings.Defaults.AllowedHostnames == "second" {
				return "", errors.New("not yet")
			}
			return asWritten(ctx, settings)
		})
		f.becomes("second")
		mended.Store(true)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"1 first, not not yet", "2 second"}, f.reported); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

func TestAProcessDoesNotStartWithSettingsThatAreNotValid(t *testing.T) {
	for _, text := range []string{"bad", "unbuildable"} {
		s := &source{text: text}
		if _, err := live.Open(t.Context(), live.Options[string]{Load: s.load, Build: asWritten}); err == nil {
			t.Errorf("Open takes %q", text)
		}
	}
}
