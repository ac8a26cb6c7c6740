package telemetry

import (
	"io"
	"net/http"
)

// unquoted takes the body off an answer that is an error. The exporters quote it
// in their errors, and so in the log, and a gateway with a page for debugging
// writes the request's own headers into it: keys and tokens.
type unquoted struct{ next http.RoundTripper }

// maxUnquotedBytes is read of such a body, so that its connection can be used again.
const maxUnquotedBytes = 16 << 10

func (u unquoted) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := u.next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxUnquotedBytes))
	_ = response.Body.Close()
	response.Body, response.ContentLength = http.NoBody, 0
	return response, nil
}
