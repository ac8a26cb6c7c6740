package outbound_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

func expectGrants(t *testing.T, c *cast, want string) {
	t.Helper()
	if got := c.grants(); got != want {
		t.Errorf("grants = %q, want %q", got, want)
	}
}

func expectShown(t *testing.T, c *cast, want string) {
	t.Helper()
	if got := c.tokensShown(); got != want {
		t.Errorf("the backend was shown %q, want %q", got, want)
	}
}

func TestClientCredentialsAreShownOnceForTheLifeOfAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectGrants(t, c, "")
		expectStatus(t, client, apiURL, http.StatusOK)
		time.Sleep(time.Hour - 11*time.Second) // ten seconds before its end it is not used any more
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "client_credentials")
		time.Sleep(2 * time.Second)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "client_credentials client_credentials")
		expectShown(t, c, "access-1 access-1 access-2")
	})
}

// Some servers issue tokens for seconds; ten seconds before their end there would
// be nothing left of them.
func TestAShortTokenIsUsedForHalfItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: always(http.StatusOK, `{"access_token": "short", "token_type": "Bearer", "expires_in": 8}`)}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectStatus(t, client, apiURL, http.StatusOK)
		time.Sleep(3 * time.Second)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "client_credentials")
		time.Sleep(time.Second)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "client_credentials client_credentials")
	})
}

// There is nothing to be had of it; to ask again at once would not help.
func TestATokenThatHasExpiredWhenItComesIsUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: always(http.StatusOK, `{"access_token": "old", "token_type": "Bearer", "expires_in": -8}`)}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		expectStatus(t, client, apiURL, http.StatusOK)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "client_credentials client_credentials")
	})
}

func TestATokenWithoutExpiryIsUsedUntilItIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: always(http.StatusOK, `{"access_token": "for-ever", "token_type": "Bearer"}`)}
		factory := c.factory(t)
		client := acquire(t, factory, credentialsConfig()).Client()
		expectStatus(t, client, apiURL, http.StatusOK)
		time.Sleep(1000 * time.Hour)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "client_credentials")
	})
}

func TestThePasswordIsShownWhenTheClientIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		expectGrants(t, c, "password")
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "password")
	})
}

func TestAFirstPasswordGrantThatFailsIsTheAcquisitionsError(t *testing.T) {
	for _, tc := range []struct {
		name       string
		status     int
		body       string
		kind, text string
	}{
		{"wrong password", 400, `{"error": "invalid_grant"}`, "remote", "get a token: idp.example answers 400 Bad Request, invalid_grant"},
		{"wrong secret", 401, `{"error": "invalid_client"}`, "remote", "answers 401 Unauthorized, invalid_client"},
		{"broken", 500, ``, "transient", "answers 500 Internal Server Error"},
		{"too busy", 429, ``, "transient", "answers 429"},
		{"too slow itself", 408, ``, "transient", "answers 408"},
		{"unheard of", 299, `{"error": "invalid_grant"}`, "remote", "answers 299, invalid_grant"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &cast{token: always(tc.status, tc.body)}
				factory := c.factory(t)
				_, err := factory.Acquire(t.Context(), owner, passwordConfig())
				expectError(t, err, tc.kind, tc.text)
				expectGrants(t, c, "password")
				if factory.Versions() != 0 {
					t.Error("the client that could not be made is kept")
				}
				c.token = nil
				time.Sleep(time.Minute)
				expectStatus(t, acquire(t, factory, passwordConfig()).Client(), apiURL, http.StatusOK)
			})
		})
	}
}

func TestAnExpiredTokenIsRefreshedWithTheNewestRefreshToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		for range 3 {
			expectStatus(t, client, apiURL, http.StatusOK)
			time.Sleep(time.Hour)
		}
		expectGrants(t, c, "password refresh_token refresh_token")
		if first, second := c.asked[1].Get("refresh_token"), c.asked[2].Get("refresh_token"); first != "refresh-1" || second != "refresh-2" {
			t.Errorf("refreshed with %s and %s, want refresh-1 and refresh-2", first, second)
		}
	})
}

// RFC 6749, section 6: the server may leave the refresh token as it is.
func TestARefreshTokenThatIsNotReplacedStaysGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		c.token = always(http.StatusOK, `{"access_token": "next", "token_type": "Bearer", "expires_in": 3600}`)
		for range 2 {
			time.Sleep(time.Hour)
			expectStatus(t, client, apiURL, http.StatusOK)
		}
		expectGrants(t, c, "password refresh_token refresh_token")
		if got := c.asked[2].Get("refresh_token"); got != "refresh-1" {
			t.Errorf("refreshed with %q, want refresh-1", got)
		}
	})
}

func TestWithoutARefreshTokenThePasswordIsShownAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: always(http.StatusOK, `{"access_token": "alone", "token_type": "Bearer", "expires_in": 3600}`)}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		time.Sleep(time.Hour)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "password password")
	})
}

func TestOnlyARefreshAnsweredWith400Or401LeadsBackToThePassword(t *testing.T) {
	broken := errors.New("connection reset")
	for _, tc := range []struct {
		name       string
		refresh    func(*http.Request, url.Values) (*http.Response, error)
		then, kind string
	}{
		{"400", always(400, `{"error": "invalid_grant"}`), "password refresh_token password", "none"},
		{"401", always(401, ``), "password refresh_token password", "none"},
		{"403", always(403, ``), "password refresh_token", "remote"},
		{"404", always(404, ``), "password refresh_token", "remote"},
		{"429", always(429, `{"error": "invalid_grant"}`), "password refresh_token", "transient"},
		{"500", always(500, `{"error": "invalid_grant"}`), "password refresh_token", "transient"},
		{"503", always(503, ``), "password refresh_token", "transient"},
		{"no token", always(200, `{}`), "password refresh_token", "remote"},
		{"no answer", hang, "password refresh_token", "transient"},
		{"no connection", func(*http.Request, url.Values) (*http.Response, error) { return nil, broken }, "password refresh_token", "transient"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &cast{}
				client := acquire(t, c.factory(t), passwordConfig()).Client()
				time.Sleep(time.Hour)
				c.token = func(r *http.Request, form url.Values) (*http.Response, error) {
					if form.Get("grant_type") == "refresh_token" {
						return tc.refresh(r, form)
					}
					return nil, nil
				}
				_, err := get(t, client, apiURL)
				expectError(t, err, tc.kind, "get a token")
				expectGrants(t, c, tc.then)
			})
		})
	}
}

func TestARefreshTokenThatWasRefusedIsNotShownAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		time.Sleep(time.Hour)
		c.token = func(_ *http.Request, form url.Values) (*http.Response, error) {
			if form.Get("grant_type") == "refresh_token" {
				return answer(400, `{"error": "invalid_grant"}`), nil
			}
			return answer(503, ""), nil
		}
		for range 2 {
			_, err := get(t, client, apiURL)
			expectError(t, err, "transient", "answers 503")
			time.Sleep(time.Second)
		}
		expectGrants(t, c, "password refresh_token password password")
	})
}

func TestARefreshTokenOutlivesAFailureThatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		time.Sleep(time.Hour)
		c.token = always(503, ``)
		_, err := get(t, client, apiURL)
		expectError(t, err, "transient", "idp.example answers 503")
		c.token = nil
		time.Sleep(time.Second)
		expectStatus(t, client, apiURL, http.StatusOK)
		expectGrants(t, c, "password refresh_token refresh_token")
		if got := c.asked[2].Get("refresh_token"); got != "refresh-1" {
			t.Errorf("refreshed with %q, want refresh-1", got)
		}
	})
}

func TestARequestForATokenSaysWhatIsWantedAndWhoWantsIt(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*outbound.Auth)
		want   url.Values
		basic  bool
	}{
		{"in the header", func(*outbound.Auth) {}, url.Values{"grant_type": {"client_credentials"}}, true},
		{"in the body", func(a *outbound.Auth) { a.ClientAuthentication = outbound.ClientSecretPost },
			url.Values{"grant_type": {"client_credentials"}, "client_id": {"handler"}, "client_secret": {"s3cret"}}, false},
		{"scopes and audience", func(a *outbound.Auth) { a.Scopes, a.Audience = []string{"write", "read"}, "https://api" },
			url.Values{"grant_type": {"client_credentials"}, "scope": {"write read"}, "audience": {"https://api"}}, true},
		{"a password, scopes and audience", func(a *outbound.Auth) {
			*a = passwordConfig().Auth
			a.Scopes, a.Audience = []string{"write"}, "https://api"
		}, url.Values{"grant_type": {"password"}, "username": {"alice"}, "password": {"pa55word"}, "scope": {"write"}, "audience": {"https://api"}}, true},
		{"a password without a client secret", func(a *outbound.Auth) { *a = passwordConfig().Auth; a.ClientSecret = outbound.Secret{} },
			url.Values{"grant_type": {"password"}, "username": {"alice"}, "password": {"pa55word"}, "client_id": {"handler"}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &cast{}
			config := credentialsConfig()
			tc.mutate(&config.Auth)
			expectStatus(t, acquire(t, c.factory(t), config).Client(), apiURL, http.StatusOK)
			if got := c.asked[0].Encode(); got != tc.want.Encode() {
				t.Errorf("form = %s, want %s", got, tc.want.Encode())
			}
			id, secret, basic := c.tokens[0].BasicAuth()
			if basic != tc.basic || basic && (id != "handler" || secret != "s3cret") {
				t.Errorf("basic = %q, %q, %v, want %v", id, secret, basic, tc.basic)
			}
			if got := c.tokens[0].URL.String(); got != tokenURL {
				t.Errorf("asked at %s, want %s", got, tokenURL)
			}
		})
	}
}

// x/oauth2 would by default try the other way of showing the secret.
func TestAFailedRequestForATokenIsMadeOnce(t *testing.T) {
	c := &cast{token: always(401, `{"error": "invalid_client"}`)}
	_, err := get(t, acquire(t, c.factory(t), credentialsConfig()).Client(), apiURL)
	expectError(t, err, "remote", "invalid_client")
	expectGrants(t, c, "client_credentials")
}
