package outbound

import (
	"io"
	"net/http"
)

// endingBody calls end when the body is closed.
type endingBody struct {
	io.ReadCloser
	end func()
}

func (b *endingBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// closeBody is for a request that is not sent: a RoundTripper must close its
// body in any case.
func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// drop closes a body that nobody wants.
func drop(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxDrainBytes)
	_ = body.Close()
}
