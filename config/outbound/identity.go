package outbound

import (
	"net/http"
	"net/url"
)

// identityClient returns a client for one URL of an identity provider, over the
// version's own connections.
func identityClient(s spec, u *url.URL, exchange http.RoundTripper) *http.Client {
	guarded := &guard{next: exchange, origins: []origin{originOf(u)}, timeout: s.profile.Timeout}
	return &http.Client{Transport: &whole{next: guarded, limit: maxAnswerBytes}}
}

// statusError is for an answer whose status is not the one hoped for. detail goes
// to the end of the message.
func statusError(host string, status int, detail string) error {
	because := failure{message: host + " answers " + statusText(status) + detail}
	if status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
		return &TransientError{because}
	}
	return &RemoteError{because, status}
}
