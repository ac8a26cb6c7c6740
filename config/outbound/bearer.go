package outbound

import "net/http"

// bearer shows a token with each request, RFC 6750, section 2.1. Where it goes,
// and that it goes over TLS, is the guard's to see to.
type bearer struct {
	unprintable
	next   http.RoundTripper // a guard
	tokens *tokens
}

// RoundTrip asks for a new token if the answer is 401, and then sends the request
// once more, unless its body is gone. A second 401 is the answer, and for a pause
// after it the first is.
func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	used, err := b.tokens.get(r.Context())
	if err != nil {
		closeBody(r)
		return nil, err
	}
	response, err := b.next.RoundTrip(showing(used, r))
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusUnauthorized:
		b.tokens.taken()
		return response, nil
	case !b.tokens.discard(used) || !canRewind(r):
		return response, nil
	}
	drop(response.Body)
	return b.again(r)
}

// again sends a request once more, with the token that came for a refused one.
func (b *bearer) again(r *http.Request) (*http.Response, error) {
	fresh, err := b.tokens.get(r.Context())
	if err != nil {
		return nil, err
	}
	again := showing(fresh, r)
	if err := rewind(again); err != nil {
		return nil, err
	}
	response, err := b.next.RoundTrip(again)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusUnauthorized:
		b.tokens.refusedToo()
	default:
		b.tokens.taken()
	}
	return response, nil
}

// showing returns a copy: a RoundTripper must not change the request it is given.
func showing(t *token, r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	t.SetAuthHeader(r)
	return r
}

func canRewind(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
}

func rewind(r *http.Request) error {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return &TransientError{failure{"send the request's body again: it cannot be read twice", err}}
	}
	r.Body = body
	return nil
}
