package telemetry

import (
	"fmt"
	"net/http"
)

// attempts takes note of how each try to send something ends. An exporter tells
// why it has given up, but at the shutdown one may be left that has not: it would
// have gone on to try.
type attempts struct {
	next  http.RoundTripper
	tally *tally
}

func (a attempts) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	switch {
	case err == nil && response.StatusCode < http.StatusBadRequest:
		a.tally.tried(nil)
	case err == nil: // without the reason phrase, which is the other side's text
		a.tally.tried(fmt.Errorf("%s answers %d", request.URL.Host, response.StatusCode))
	case request.Context().Err() == nil: // else it was cut off, and says nothing
		a.tally.tried(err)
	}
	return response, err
}
