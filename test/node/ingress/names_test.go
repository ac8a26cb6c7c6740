package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// asked is names with an answer and a clock, and how often it was asked.
func asked() (n *names, answer *[]string, clock *time.Time, times *int) {
	answer, clock, times = &[]string{"10.96.0.7"}, &time.Time{}, new(int)
	*clock = time.Unix(1, 0)
	return &names{
		lookup: func(context.Context, string) ([]string, error) {
			*times++
			if len(*answer) == 0 {
				return nil, errors.New("no such host")
			}
			return *answer, nil
		},
		now: func() time.Time { return *clock }, known: map[string]name{},
	}, answer, clock, times
}

func expectAddress(t *testing.T, n *names, want string) {
	t.Helper()
	if got, err := n.address(t.Context(), "a"); err != nil || got != want {
		t.Errorf("the address is %q (%v), want %q", got, err, want)
	}
}

func TestANameIsAskedForOnce(t *testing.T) {
	n, _, clock, times := asked()
	expectAddress(t, n, "10.96.0.7")
	*clock = clock.Add(namesTTL - 1)
	expectAddress(t, n, "10.96.0.7")
	if *times != 1 {
		t.Errorf("it was asked for %d times", *times)
	}
}

func TestANameIsAskedForAgainWhenItIsOld(t *testing.T) {
	n, answer, clock, _ := asked()
	expectAddress(t, n, "10.96.0.7")
	*answer, *clock = []string{"10.96.0.8"}, clock.Add(namesTTL)
	expectAddress(t, n, "10.96.0.8")
}

func TestANameThatIsGoneIsNotKept(t *testing.T) {
	n, answer, clock, _ := asked()
	expectAddress(t, n, "10.96.0.7")
	*answer, *clock = nil, clock.Add(namesTTL)
	if got, err := n.address(t.Context(), "a"); err == nil {
		t.Errorf("the address is %q, want an error", got)
	}
}
