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
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// lasting is the client of an exporter.
func lasting(factory *outbound.Factory, config func(context.Context) (outbound.Config, error)) *http.Client {
	return &http.Client{Transport: outbound.Transport(factory, owner, config)}
}

func given(config outbound.Config) func(context.Context) (outbound.Config, error) {
	return func(context.Context) (outbound.Config, error) { return config, nil }
}

func TestALeaseLastsUntilTheBodyIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		factory := c.factory(t)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, apiURL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := lasting(factory, given(credentialsConfig())).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(response.Body); err != nil {
			t.Fatal(err)
		}
		time.Sleep(24 * time.Hour)
		if factory.Versions() != 1 {
			t.Error("the client went while its response was open")
		}
		_ = response.Body.Close()
		_ = response.Body.Close() // many do
		time.Sleep(time.Minute + time.Second)
		if factory.Versions() != 0 {
			t.Error("the client is still there")
		}
	})
}

func TestALeaseIsReleasedWhenTheRequestFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{api: func(*http.Request, url.Values) (*http.Response, error) { return nil, errors.New("reset") }}
		factory := c.factory(t)
		_, err := get(t, lasting(factory, given(credentialsConfig())), apiURL)
		expectError(t, err, "transient", "the connection to api.example broke off")
		time.Sleep(time.Hour)
		if factory.Versions() != 0 {
			t.Error("the client is still there")
		}
	})
}

func TestTheSettingsAreAskedForBeforeEachRequest(t *testing.T) {
	c := &cast{}
	config := credentialsConfig()
	client := lasting(c.factory(t), func(context.Context) (outbound.Config, error) { return config, nil })
	expectStatus(t, client, apiURL, http.StatusOK)
	config.Auth.ClientSecret = outbound.NewSecret("another")
	expectStatus(t, client, apiURL, http.StatusOK)
	if _, secret, _ := c.tokens[1].BasicAuth(); secret != "another" {
		t.Error("the new secret was not used")
	}
}

func TestSettingsThatCannotBeReadFailTheRequest(t *testing.T) {
	for _, tc := range []struct {
		err  error
		kind string
	}{
		{errors.New("no such key"), "config"},
		{sorted{errors.New("timeout"), true}, "transient"},
		{context.Canceled, "transient"},
	} {
		client := lasting((&cast{}).factory(t), func(context.Context) (outbound.Config, error) { return outbound.Config{}, tc.err })
		_, err := get(t, client, apiURL)
		expectError(t, err, tc.kind, "read the settings of edge: "+tc.err.Error())
	}
}

func TestARequestTakesNoLongerThanTheTimeoutWhoeverMakesIt(t *testing.T) {
	for name, client := range map[string]func(*testing.T, *cast) *http.Client{
		"with a lease": func(t *testing.T, c *cast) *http.Client {
			return acquire(t, c.factory(t), credentialsConfig()).Client()
		},
		"by an exporter": func(t *testing.T, c *cast) *http.Client { return lasting(c.factory(t), given(credentialsConfig())) },
		"without a token": func(t *testing.T, c *cast) *http.Client {
			return acquire(t, c.factory(t), plainConfig(outbound.SystemRoots{})).Client()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &cast{api: hang}
				start := time.Now()
				_, err := get(t, client(t, c), apiURL)
				expectError(t, err, "transient", "the request to api.example: no answer in time")
				if took := time.Since(start); took != profile.Timeout {
					t.Errorf("it took %v, want %v", took, profile.Timeout)
				}
			})
		})
	}
}

// slow is a body that comes when its request is given up.
type slow struct{ ctx context.Context }

func (s slow) Read([]byte) (int, error) { <-s.ctx.Done(); return 0, s.ctx.Err() }
func (slow) Close() error               { return nil }

func TestTheTimeoutIsOnTheBodyToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{api: func(r *http.Request, _ url.Values) (*http.Response, error) {
			response := answer(http.StatusOK, "")
			response.Body = slow{r.Context()}
			return response, nil
		}}
		_, err := get(t, acquire(t, c.factory(t), credentialsConfig()).Client(), apiURL)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want that the deadline has passed", err)
		}
	})
}

func TestARequestEndsWithItsOwnContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{api: hang}
		client := lasting(c.factory(t), given(credentialsConfig()))
		ctx, leave := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() {
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, apiURL, strings.NewReader("spans"))
			_, err := do(client, r)
			failed <- err
		}()
		synctest.Wait()
		leave()
		err := <-failed
		expectError(t, err, "transient", "the request to api.example: given up, as its context ended")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the cause is lost: %v", err)
		}
	})
}

// Over real connections, while the CA changes back and forth.
func TestManyRequestsAtOnceSurviveRotations(t *testing.T) {
	private := newAuthority(t, "private")
	server := private.serve(t, realm(t))
	trust := newRotation(t, 3)
	for i, roots := range trust.roots {
		trust.roots[i] = append(roots, private.pem()...)
	}
	config := credentialsConfig()
	config.Endpoints, config.Auth.TokenURL, config.Trust = []string{server.URL}, server.URL+"/token", trust
	factory := newFactory(t, nil)
	client := lasting(factory, given(config))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				expectStatus(t, client, server.URL, http.StatusOK)
			}
		})
	}
	for i := range 20 {
		trust.turn(i % len(trust.roots))
	}
	all.Wait()
	if got := factory.Versions(); got > len(trust.roots) {
		t.Errorf("%d clients for %d versions", got, len(trust.roots))
	}
}
