package outbound

import (
	"bytes"
	"io"
	"net/http"
)

// whole reads each answer up to its limit before it passes it on. x/oauth2 would
// read on its own, but cut a longer one short, and a connection that breaks off
// would look like an answer that is no token.
type whole struct {
	next  http.RoundTripper
	limit int64
}

func (w *whole) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, w.limit+1))
	switch {
	case err != nil:
		return nil, exchangeError(r.Context(), r.URL.Host, err)
	case int64(len(content)) > w.limit:
		return nil, remoteErrorf("the answer of %s is larger than %d KiB", r.URL.Host, w.limit>>10)
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, nil
}
