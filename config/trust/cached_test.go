package trust_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

var errAway = errors.New("nobody answers")

// slow is a source that takes a second, and says what it is told to say when it
// is asked.
type slow struct {
	mu     sync.Mutex
	asked  int
	bundle trust.Bundle
	err    error
}

func (s *slow) Resolve(ctx context.Context) (trust.Bundle, error) {
	s.mu.Lock()
	s.asked++
	bundle, err := s.bundle, s.err
	s.mu.Unlock()
	select {
	case <-time.After(time.Second):
		return bundle, err
	case <-ctx.Done():
		return trust.Bundle{}, ctx.Err()
	}
}

func (s *slow) says(bundle trust.Bundle, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bundle, s.err = bundle, err
}

func (s *slow) expectAsked(t *testing.T, want int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != want {
		t.Errorf("the source was asked %d times, want %d", s.asked, want)
	}
}

// cachedSlow is a source of a behind a cache of 30 s.
func cachedSlow(t *testing.T) (*slow, trust.Source) {
	t.Helper()
	source := &slow{bundle: parse(t, authority(t, "a"))}
	return source, trust.Cached(source, trust.DefaultMaxAge)
}

func TestWhatWasSaidHoldsForItsAgeFromTheQuestionOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, cache := cachedSlow(t)
		resolve(t, cache) // takes a second, which counts
		time.Sleep(29*time.Second - time.Nanosecond)
		resolve(t, cache)
		source.expectAsked(t, 1)

		next := parse(t, authority(t, "b"))
		source.says(next, nil)
		time.Sleep(time.Nanosecond)
		if got := resolve(t, cache); got.Digest() != next.Digest() {
			t.Error("after 30 s it still says what it said first")
		}
		source.expectAsked(t, 2)
	})
}

func TestAnErrorIsNotHiddenByWhatWasSaidBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, cache := cachedSlow(t)
		resolve(t, cache)
		source.says(trust.Bundle{}, errAway)
		time.Sleep(trust.DefaultMaxAge)
		for range 2 {
			if bundle, err := cache.Resolve(t.Context()); !errors.Is(err, errAway) || !bundle.IsEmpty() {
				t.Errorf("Resolve = %q, %v; want %v", bundle.PEM(), err, errAway)
			}
		}
	})
}

func TestAnErrorIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, cache := cachedSlow(t)
		good := source.bundle
		source.says(trust.Bundle{}, errAway)
		if _, err := cache.Resolve(t.Context()); err == nil {
			t.Fatal("there is no error")
		}
		source.says(good, nil)
		resolve(t, cache)
		source.expectAsked(t, 2)
	})
}

func TestThoseWhoAskAtTheSameTimeShareTheAnswer(t *testing.T) {
	for name, err := range map[string]error{"a bundle": nil, "an error": errAway} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source, cache := cachedSlow(t)
				source.says(source.bundle, err)
				var group sync.WaitGroup
				for range 50 {
					group.Go(func() {
						if _, got := cache.Resolve(t.Context()); !errors.Is(got, err) {
							t.Errorf("Resolve = %v, want %v", got, err)
						}
					})
				}
				group.Wait()
				source.expectAsked(t, 1)
			})
		})
	}
}

func TestWhoLeavesDoesNotTakeTheAnswerFromTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, cache := cachedSlow(t)
		leaving, leave := context.WithCancel(t.Context())
		left, stayed := make(chan error, 1), make(chan error, 1)
		ask := func(ctx context.Context, answer chan<- error) {
			_, err := cache.Resolve(ctx)
			answer <- err
		}
		go ask(leaving, left)
		synctest.Wait() // the first has asked
		go ask(t.Context(), stayed)
		synctest.Wait()
		leave()
		synctest.Wait()
		select {
		case err := <-left:
			wantTransientError(t, err, "wait until they are read: context canceled")
		default:
			t.Error("who leaves must wait all the same")
		}
		if err := <-stayed; err != nil {
			t.Errorf("who stays has no answer: %v", err)
		}
		source.expectAsked(t, 1)
	})
}
