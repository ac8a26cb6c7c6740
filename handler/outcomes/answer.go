package outcomes

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// answer is what came of one request to the sink.
type answer struct {
	status int   // 0: none came
	err    error // why none came
	// unsendable: no request can be made of the event.
	unsendable bool
	// wait is what Retry-After asks for; 0 if nothing.
	wait time.Duration
}

// result returns what the answer says of the event, and whether it may be another
// one the next time. No answer may, and of the statuses those that Knative's own
// sources and brokers try again (knative.dev/eventing v0.50), but for 409, which
// it has for its tests alone.
func (a answer) result() (_ result, again bool) {
	switch {
	case a.status/100 == 2:
		return delivered, false
	case a.unsendable:
		return dropped, false
	case a.status == 0, a.status >= 500:
		return dropped, true
	}
	switch a.status {
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return dropped, true
	}
	return refused, false
}

// why says why the event has not arrived.
func (a answer) why() error {
	if a.status == 0 {
		return fmt.Errorf("send to the sink: %w", a.err)
	}
	return fmt.Errorf("the sink has answered %d", a.status)
}

// failed leaves out of a client's error what may be secret of the sink's URL. The
// error of a client that does not pass redirects on may tell their status.
func failed(err error) answer {
	if of, ok := errors.AsType[interface {
		error
		HTTPStatus() int
	}](err); ok && of.HTTPStatus() > 0 {
		return answer{status: of.HTTPStatus()}
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return answer{err: err}
}

// retryAfter reads the header of RFC 9110 section 10.2.3, and bounds it. What
// cannot be read asks for nothing.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.Atoi(text); err == nil {
		wait = time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
