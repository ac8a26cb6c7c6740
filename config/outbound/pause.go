package outbound

import (
	"errors"
	"time"
)

// pause is for how long something that failed is not tried again, and why it
// failed. The longer one is after a refusal: servers lock accounts whose password
// is wrong too often. Its zero value is none.
type pause struct {
	err   error
	until time.Time
	// refusal and passing are the last pauses of each kind. A server that is away
	// for a moment must not bring a refused password back sooner.
	refusal, passing time.Duration
}

// remembered returns the error until the pause is over, and nil then.
func (p *pause) remembered(now time.Time) error {
	if p.err == nil || !now.Before(p.until) {
		return nil
	}
	return p.err
}

// begin makes a pause that is longer than the one before.
func (p *pause) begin(now time.Time, err error) {
	if isRefusal(err) {
		p.refusal = longer(p.refusal, firstRefusalPause, maxRefusalPause)
		p.until = now.Add(p.refusal)
	} else {
		p.passing = longer(p.passing, firstPassingPause, maxPassingPause)
		p.until = now.Add(p.passing)
	}
	p.err = followed(err, "not tried again before "+p.until.UTC().Format(time.RFC3339))
}

func longer(last, first, most time.Duration) time.Duration { return min(max(first, 2*last), most) }

// isRefusal tells whether an answer was what failed. Answers that ask for
// patience are transient, and not meant.
func isRefusal(err error) bool {
	remote, ok := errors.AsType[*RemoteError](err)
	return ok && remote.StatusCode != 0
}
