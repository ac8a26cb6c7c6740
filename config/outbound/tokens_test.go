package outbound

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

type grantFunc func(context.Context) (*oauth2.Token, error)

func (f grantFunc) token(ctx context.Context) (*oauth2.Token, error) { return f(ctx) }

// A flight may land between the look of another caller and its own flight.
func TestAFlightThatFindsAGoodTokenAsksForNone(t *testing.T) {
	asked := 0
	tokens := newTokens(t.Context(), time.Now, grantFunc(func(context.Context) (*oauth2.Token, error) {
		asked++
		return &oauth2.Token{AccessToken: "good"}, nil
	}))
	for range 2 {
		if _, err := tokens.fetch(); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}

func TestAFailedGrantIsRememberedForThePauseByTheClockOfTheFactory(t *testing.T) {
	fault, now := errors.New("away"), time.Now()
	tokens := newTokens(t.Context(), func() time.Time { return now }, grantFunc(func(context.Context) (*oauth2.Token, error) {
		if fault != nil {
			return nil, fault
		}
		return &oauth2.Token{AccessToken: "good"}, nil
	}))
	if got, err := tokens.get(t.Context()); got != nil || !errors.Is(err, fault) {
		t.Errorf("get = %v, %v; want %v", got, err, fault)
	}
	away := fault
	fault = nil
	if got, err := tokens.get(t.Context()); got != nil || !errors.Is(err, away) {
		t.Errorf("get = %v, %v; want still %v", got, err, away)
	}
	now = now.Add(firstPassingPause)
	if got, err := tokens.get(t.Context()); err != nil || got.AccessToken != "good" {
		t.Errorf("get = %v, %v; want a token", got, err)
	}
}
