package outbound_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// refusing answers 401 to requests that show one of the tokens.
func refusing(tokens ...string) func(*http.Request, url.Values) (*http.Response, error) {
	return func(r *http.Request, _ url.Values) (*http.Response, error) {
		for _, token := range tokens {
			if r.Header.Get("Authorization") == "Bearer "+token {
				return answer(http.StatusUnauthorized, "go away"), nil
			}
		}
		return nil, nil
	}
}

func post(t *testing.T, client *http.Client, body io.Reader) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, apiURL, body)
	if err != nil {
		t.Fatal(err)
	}
	return do(client, r)
}

func TestA401DiscardsTheTokenAndTheRequestIsSentOnceMore(t *testing.T) {
	for name, body := range map[string]io.Reader{"with a body": strings.NewReader("spans"), "without": nil, "with an empty one": http.NoBody} {
		t.Run(name, func(t *testing.T) {
			c := &cast{api: refusing("access-1")}
			status, err := post(t, acquire(t, c.factory(t), credentialsConfig()).Client(), body)
			if err != nil || status != http.StatusOK {
				t.Errorf("status = %d, %v; want 200", status, err)
			}
			expectShown(t, c, "access-1 access-2")
			if c.bodies[0] != c.bodies[1] || (name == "with a body") != (c.bodies[1] == "spans") {
				t.Errorf("bodies = %q, want the same twice", c.bodies)
			}
		})
	}
}

func TestARefusedTokenIsReplacedByRefreshing(t *testing.T) {
	c := &cast{api: refusing("access-1")}
	expectStatus(t, acquire(t, c.factory(t), passwordConfig()).Client(), apiURL, http.StatusOK)
	expectGrants(t, c, "password refresh_token")
}

func TestTheSecond401IsTheAnswer(t *testing.T) {
	c := &cast{api: always(http.StatusUnauthorized, "go away")}
	expectStatus(t, acquire(t, c.factory(t), credentialsConfig()).Client(), apiURL, http.StatusUnauthorized)
	expectShown(t, c, "access-1 access-2")
}

func TestARequestWhoseBodyIsGoneIsNotSentAgainButTheNextHasANewToken(t *testing.T) {
	c := &cast{api: refusing("access-1")}
	client := acquire(t, c.factory(t), credentialsConfig()).Client()
	status, err := post(t, client, io.MultiReader(strings.NewReader("spans")))
	if err != nil || status != http.StatusUnauthorized {
		t.Errorf("status = %d, %v; want 401", status, err)
	}
	expectStatus(t, client, apiURL, http.StatusOK)
	expectShown(t, c, "access-1 access-2")
}

func TestABodyThatCannotBeReadTwiceIsAnError(t *testing.T) {
	c := &cast{api: refusing("access-1")}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, apiURL, strings.NewReader("spans"))
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	r.GetBody = func() (io.ReadCloser, error) { return nil, gone }
	_, err = do(acquire(t, c.factory(t), credentialsConfig()).Client(), r)
	expectError(t, err, "transient", "it cannot be read twice")
	if !errors.Is(err, gone) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func TestANewTokenThatCannotBeHadAfterA401IsAnError(t *testing.T) {
	c := &cast{api: refusing("access-1")}
	client := acquire(t, c.factory(t), passwordConfig()).Client()
	c.token = always(503, "")
	_, err := get(t, client, apiURL)
	expectError(t, err, "transient", "idp.example answers 503")
}

func TestOthersWhoseTokenWasRefusedTooDoNotDiscardTheNewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const quick = 10
		var arrived sync.WaitGroup
		arrived.Add(quick)
		late := make(chan struct{})
		refuse := refusing("access-1")
		c := &cast{api: func(r *http.Request, form url.Values) (*http.Response, error) {
			if r.Header.Get("Authorization") == "Bearer access-1" {
				if r.Header.Get("Late") != "" {
					<-late
				} else {
					arrived.Done()
					arrived.Wait()
				}
			}
			return refuse(r, form)
		}}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		var all sync.WaitGroup
		send := func(lateness string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apiURL, nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Late", lateness)
			if status, err := do(client, r); err != nil || status != http.StatusOK {
				t.Errorf("status = %d, %v; want 200", status, err)
			}
		}
		all.Go(func() { send("very") })
		for range quick {
			all.Go(func() { send("") })
		}
		synctest.Wait() // all but one have their second answer
		close(late)
		all.Wait()
		expectGrants(t, c, "client_credentials client_credentials")
	})
}

func TestWhoeverStopsWaitingForATokenDoesNotBreakItForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue := make(chan struct{})
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { <-issue; return nil, nil }}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		impatient, leave := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			r, _ := http.NewRequestWithContext(impatient, http.MethodGet, apiURL, nil)
			_, err := do(client, r)
			failed <- err
		}()
		synctest.Wait()
		patient := make(chan error, 1)
		go func() {
			_, err := get(t, client, apiURL)
			patient <- err
		}()
		synctest.Wait()
		leave()
		err := <-failed
		expectError(t, err, "transient", "wait for a token: given up")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the cause is lost: %v", err)
		}
		close(issue)
		if err := <-patient; err != nil {
			t.Error(err)
		}
		expectGrants(t, c, "client_credentials")
	})
}

func TestATokenGoesToTheEndpointsAndNowhereElse(t *testing.T) {
	c := &cast{}
	client := acquire(t, c.factory(t), credentialsConfig()).Client()
	for _, elsewhere := range []string{
		"http://api.example/v1", "http://api.example:443/v1", "https://api.example:8443/v1", "https://other.example/v1", "https://api.example.other/v1",
	} {
		_, err := get(t, client, elsewhere)
		expectError(t, err, "config", "it is none of its endpoints")
	}
	expectShown(t, c, "")
	expectStatus(t, client, "https://API.example:443/v1/other", http.StatusOK)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		away := func(*http.Request, url.Values) (*http.Response, error) {
			response := answer(status, "")
			response.Header.Set("Location", "https://api.example/elsewhere")
			return response, nil
		}
		c := &cast{api: away}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		_, err := get(t, client, apiURL)
		expectError(t, err, "remote", "api.example answers with a redirect")
		expectShown(t, c, "access-1")

		c = &cast{token: away}
		_, err = c.factory(t).Acquire(t.Context(), owner, passwordConfig())
		expectError(t, err, "remote", "idp.example answers with a redirect")
		expectGrants(t, c, "password")
	}
}

func TestA304IsNoRedirect(t *testing.T) {
	c := &cast{api: always(http.StatusNotModified, "")}
	expectStatus(t, acquire(t, c.factory(t), credentialsConfig()).Client(), apiURL, http.StatusNotModified)
}

// closable is a request's body that knows whether it has been closed.
type closable struct {
	io.Reader
	closed bool
}

func (c *closable) Close() error { c.closed = true; return nil }

// The contract of http.RoundTripper.
func TestTheBodyOfARequestThatIsNotSentIsClosed(t *testing.T) {
	for name, tc := range map[string]struct {
		c   *cast
		url string
	}{
		"to elsewhere":    {&cast{}, "https://other.example"},
		"without a token": {&cast{token: always(400, "")}, apiURL},
	} {
		t.Run(name, func(t *testing.T) {
			body := &closable{Reader: strings.NewReader("spans")}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tc.url, body)
			if err != nil {
				t.Fatal(err)
			}
			lease := acquire(t, tc.c.factory(t), credentialsConfig())
			if _, err := lease.Client().Transport.RoundTrip(r); err == nil {
				t.Error("it was sent")
			}
			if !body.closed {
				t.Error("its body is open")
			}
		})
	}
	t.Run("without a client", func(t *testing.T) {
		body := &closable{Reader: strings.NewReader("spans")}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, apiURL, body)
		if err != nil {
			t.Fatal(err)
		}
		transport := outbound.Transport(newFactory(t, nil), owner, func(context.Context) (outbound.Config, error) { return outbound.Config{}, nil })
		if _, err := transport.RoundTrip(r); err == nil || !body.closed {
			t.Errorf("RoundTrip = %v, closed = %v; want an error and a closed body", err, body.closed)
		}
	})
}
