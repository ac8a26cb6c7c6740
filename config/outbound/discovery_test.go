package outbound_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

const goodMetadata = `{"issuer": "https://idp.example/realm", "token_endpoint": "https://idp.example/token", "jwks_uri": "https://idp.example/keys"}`

// describing answers the request for metadata, and leaves those for tokens alone.
func describing(status int, body string) func(*http.Request, url.Values) (*http.Response, error) {
	return func(r *http.Request, _ url.Values) (*http.Response, error) {
		if r.Method == http.MethodGet {
			return answer(status, body), nil
		}
		return nil, nil
	}
}

func TestTheIssuersMetadataNameTheTokenEndpoint(t *testing.T) {
	c := &cast{token: describing(http.StatusOK, goodMetadata)}
	expectStatus(t, acquire(t, c.factory(t), discoveryConfig()).Client(), apiURL, http.StatusOK)
	expectShown(t, c, "access-1")
	for i, want := range []string{"GET https://idp.example/realm/.well-known/openid-configuration", "POST " + tokenURL} {
		if got := c.tokens[i].Method + " " + c.tokens[i].URL.String(); got != want {
			t.Errorf("request %d was %s, want %s", i+1, got, want)
		}
	}
}

func TestTheMetadataStandBelowTheIssuersPath(t *testing.T) {
	for text, want := range map[string]string{
		"https://idp.example":       "https://idp.example/.well-known/openid-configuration",
		"https://idp.example/":      "https://idp.example/.well-known/openid-configuration",
		"https://idp.example/a/b/":  "https://idp.example/a/b/.well-known/openid-configuration",
		"https://idp.example:8443/": "https://idp.example:8443/.well-known/openid-configuration",
	} {
		c := &cast{token: describing(http.StatusOK, strings.Replace(goodMetadata, issuer, text, 1))}
		config := discoveryConfig()
		config.Auth.Issuer = text
		acquire(t, c.factory(t), config)
		if got := c.tokens[0].URL.String(); got != want {
			t.Errorf("for %s the metadata were looked for at %s, want %s", text, got, want)
		}
	}
}

func TestDiscoveryShowsNoCredentials(t *testing.T) {
	c := &cast{token: describing(http.StatusOK, goodMetadata)}
	config := discoveryConfig()
	config.Auth = passwordConfig().Auth
	config.Auth.TokenURL, config.Auth.Issuer = "", issuer
	config.Auth.Audience = "https://api"
	acquire(t, c.factory(t), config)
	r := c.tokens[0]
	if len(r.Header) != 0 || r.Body != nil || r.URL.RawQuery != "" || r.URL.User != nil || len(c.asked[0]) != 0 {
		t.Errorf("the request is %s with %v and %v, want nothing but the URL", r.URL, r.Header, c.asked[0])
	}
}

func TestMetadataThatCannotBeUsedAreTheAcquisitionsError(t *testing.T) {
	for _, tc := range []struct {
		name, metadata string
		status         int
		kind, text     string
	}{
		{"of another issuer", strings.Replace(goodMetadata, "realm", "other", 1), 200, "remote", "names another issuer in its metadata than https://idp.example/realm"},
		{"of one with a slash more", strings.Replace(goodMetadata, "realm", "realm/", 1), 200, "remote", "names another issuer"},
		{"with a token endpoint without TLS", strings.Replace(goodMetadata, "https://idp.example/token", "http://idp.example/token", 1), 200, "remote", "is not a plain https URL"},
		{"with a token endpoint that is no URL", strings.Replace(goodMetadata, "https://idp.example/token", "%", 1), 200, "remote", "is not a plain https URL"},
		{"without a token endpoint", `{"issuer": "https://idp.example/realm"}`, 200, "remote", "names no token endpoint"},
		{"that are no JSON", "<html>", 200, "remote", "is no metadata of an issuer"},
		{"that are endless", strings.Repeat(" ", 256<<10) + goodMetadata, 200, "remote", "is larger than 256 KiB"},
		{"that are not there", goodMetadata, 404, "remote", "discover the token endpoint: idp.example answers 404 Not Found"},
		{"that are not there now", goodMetadata, 503, "transient", "answers 503"},
		{"that are elsewhere", goodMetadata, 302, "remote", "answers with a redirect (302)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &cast{token: describing(tc.status, tc.metadata)}
			factory := c.factory(t)
			_, err := factory.Acquire(t.Context(), owner, discoveryConfig())
			expectError(t, err, tc.kind, tc.text)
			if len(c.asked) != 1 || factory.Versions() != 0 {
				t.Errorf("%d requests and %d clients, want one and none", len(c.asked), factory.Versions())
			}
		})
	}
}

func TestAnIssuerThatDoesNotAnswerCostsTheTimeoutAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: hang}
		_, err := c.factory(t).Acquire(t.Context(), owner, discoveryConfig())
		expectError(t, err, "transient", "no answer in time")
	})
}

func TestAnIssuerThatCannotBeReachedIsTransient(t *testing.T) {
	c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { return nil, errors.New("no route") }}
	_, err := c.factory(t).Acquire(t.Context(), owner, discoveryConfig())
	expectError(t, err, "transient", "the connection to idp.example broke off")
}

func FuzzMetadata(f *testing.F) {
	f.Add(200, goodMetadata)
	f.Add(200, `{"issuer": "`+canary+`", "token_endpoint": "https://`+canary+`"}`)
	f.Add(200, `{"issuer": "https://idp.example/realm", "token_endpoint": "http://`+canary+`"}`)
	f.Add(500, canary)
	f.Fuzz(func(t *testing.T, status int, body string) {
		c := &cast{token: describing(status, body)}
		lease, err := c.factory(t).Acquire(t.Context(), owner, discoveryConfig())
		if err == nil {
			lease.Release()
			return
		}
		expectNoCanary(t, err)
	})
}
