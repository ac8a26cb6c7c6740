package outbound_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

const (
	apiURL   = "https://api.example/v1"
	tokenURL = "https://idp.example/token"
	issuer   = "https://idp.example/realm"
)

// cast plays an identity provider and a backend, in memory and so within the
// reach of testing/synctest. It stands where the network would.
type cast struct {
	// token and api answer in place of what is usual, where they are set and
	// return something.
	token, api func(*http.Request, url.Values) (*http.Response, error)

	mu     sync.Mutex
	asked  []url.Values // forms of requests for tokens
	tokens []*http.Request
	shown  []string // tokens, at the backend
	bodies []string // there
	issued int
}

func (c *cast) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var body string
	if r.Body != nil {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		_ = r.Body.Close()
		body = string(content)
	}
	if r.URL.Host == "api.example" {
		return c.serveAPI(r, body)
	}
	form, err := url.ParseQuery(body)
	if err != nil {
		return nil, err
	}
	return c.serveTokens(r, form)
}

func (c *cast) serveAPI(r *http.Request, body string) (*http.Response, error) {
	c.mu.Lock()
	c.shown = append(c.shown, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	c.bodies = append(c.bodies, body)
	c.mu.Unlock()
	if c.api != nil {
		if response, err := c.api(r, nil); response != nil || err != nil {
			return response, err
		}
	}
	return answer(http.StatusOK, "fine"), nil
}

func (c *cast) serveTokens(r *http.Request, form url.Values) (*http.Response, error) {
	c.mu.Lock()
	c.asked = append(c.asked, form)
	c.tokens = append(c.tokens, r)
	c.mu.Unlock()
	if c.token != nil {
		if response, err := c.token(r, form); response != nil || err != nil {
			return response, err
		}
	}
	return c.issue(form), nil
}

// issue answers with the next token, which is good for an hour, and with a
// refresh token if somebody's password stands behind it.
func (c *cast) issue(form url.Values) *http.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.issued++
	refresh := ""
	if form.Get("grant_type") != "client_credentials" {
		refresh = fmt.Sprintf(`, "refresh_token": "refresh-%d"`, c.issued)
	}
	return answer(http.StatusOK, fmt.Sprintf(`{"access_token": "access-%d", "token_type": "bearer", "expires_in": 3600%s}`, c.issued, refresh))
}

func (c *cast) grants() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var types []string
	for _, form := range c.asked {
		types = append(types, form.Get("grant_type"))
	}
	return strings.Join(types, " ")
}

func (c *cast) tokensShown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.shown, " ")
}

func answer(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(body)),
	}
}

// hang answers when the request is given up.
func hang(r *http.Request, _ url.Values) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func always(status int, body string) func(*http.Request, url.Values) (*http.Response, error) {
	return func(*http.Request, url.Values) (*http.Response, error) { return answer(status, body), nil }
}

// factory returns a factory whose network is the cast.
func (c *cast) factory(t *testing.T) *outbound.Factory {
	t.Helper()
	return newFactory(t, func(o *outbound.Options) {
		o.Wrap = func(http.RoundTripper) http.RoundTripper { return c }
	})
}

func credentialsConfig() outbound.Config {
	return outbound.Config{
		Profile:   profile.Name,
		Endpoints: []string{apiURL},
		Trust:     outbound.SystemRoots{},
		Auth: outbound.Auth{
			Mode:         outbound.ClientCredentials,
			TokenURL:     tokenURL,
			ClientID:     "handler",
			ClientSecret: outbound.NewSecret("s3cret"),
		},
	}
}

func passwordConfig() outbound.Config {
	config := credentialsConfig()
	config.Auth.Mode = outbound.Password
	config.Auth.Username = outbound.NewSecret("alice")
	config.Auth.Password = outbound.NewSecret("pa55word")
	return config
}

func discoveryConfig() outbound.Config {
	config := credentialsConfig()
	config.Auth.TokenURL, config.Auth.Issuer = "", issuer
	return config
}
