package outbound

import "time"

// doubt is for how long a token is kept although it is refused: the one before it
// was refused as well, and another would most likely be. Else a backend that takes
// none costs the token endpoint a grant for each request. Its zero value is none.
type doubt struct {
	until time.Time
	last  time.Duration
}

func (d *doubt) begin(now time.Time) {
	d.last = longer(d.last, firstPassingPause, maxPassingPause)
	d.until = now.Add(d.last)
}
