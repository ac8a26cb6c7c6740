package outbound

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// guard lets requests through to some origins only, bounds their time, refuses
// redirects and makes errors ours. It stands in the transport, not in an
// [http.Client], because exporters bring a client of their own.
//
// Whatever goes through it may carry a token: that goes nowhere but to the
// endpoints it is for, and since these have https, over nothing else.
type guard struct {
	unprintable
	next    http.RoundTripper
	origins []origin
	timeout time.Duration
}

func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if !slices.Contains(g.origins, originOf(r.URL)) {
		closeBody(r)
		return nil, configErrorf("this client is not for %s://%s: it is none of its endpoints", r.URL.Scheme, r.URL.Host)
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.timeout)
	response, err := g.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		err = exchangeError(ctx, r.URL.Host, err)
		cancel()
		return nil, err
	}
	if isRedirect(response.StatusCode) {
		drop(response.Body)
		cancel()
		return nil, redirectError(r.URL.Host, response.StatusCode)
	}
	response.Body = &endingBody{response.Body, cancel}
	return response, nil
}

func redirectError(host string, status int) error {
	message := fmt.Sprintf("%s answers with a redirect (%d), which is not followed: set the address that it leads to", host, status)
	return &RemoteError{failure{message: message}, status}
}

// isRedirect tells whether [http.Client] would go elsewhere.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
