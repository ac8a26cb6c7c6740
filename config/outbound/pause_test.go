package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// refusal is what servers that lock accounts answer.
var refusal = always(http.StatusBadRequest, `{"error": "invalid_grant"}`)

// exporter returns who sends a request through the factory, as often as it is
// called, and gives its error.
func exporter(t *testing.T, factory *outbound.Factory, config outbound.Config) func() error {
	client := lasting(factory, given(config))
	return func() error {
		_, err := get(t, client, apiURL)
		return err
	}
}

// pauses returns how much time lay between the first n+1 requests for a token,
// while somebody tries every so often.
func pauses(c *cast, n int, every time.Duration, try func() error) []time.Duration {
	var between []time.Duration
	var last time.Time
	for len(between) < n {
		before := len(c.asked)
		_ = try()
		if len(c.asked) > before {
			if !last.IsZero() {
				between = append(between, time.Since(last))
			}
			last = time.Now()
		}
		time.Sleep(every)
	}
	return between
}

var (
	long  = []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute}
	short = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}
)

// failures are those of a token endpoint, and how often it is asked in spite of
// them.
var failures = []struct {
	name  string
	token func(*http.Request, url.Values) (*http.Response, error)
	want  []time.Duration
}{
	{"400", refusal, long},
	{"401", always(401, ""), long},
	{"403", always(403, ""), long},
	{"404", always(404, ""), long},
	{"an error with 200", always(200, `{"error": "invalid_grant"}`), long},
	{"408", always(408, ""), short},
	{"429", always(429, ""), short},
	{"503", always(503, ""), short},
	{"no token", always(200, `{}`), short},
	{"no connection", func(*http.Request, url.Values) (*http.Response, error) { return nil, errors.New("reset") }, short},
}

func expectPauses(t *testing.T, c *cast, want []time.Duration, try func() error) {
	t.Helper()
	if got := pauses(c, len(want), slices.Min(want)/4, try); !slices.Equal(got, want) {
		t.Errorf("pauses = %v, want %v", got, want)
	}
}

func TestAClientThatCannotBeMadeIsTriedAgainAfterPausesThatGrow(t *testing.T) {
	for _, tc := range failures {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &cast{token: tc.token}
				expectPauses(t, c, tc.want, exporter(t, c.factory(t), passwordConfig()))
			})
		})
	}
}

// The client stays, but it has no token.
func TestATokenThatCannotBeHadIsAskedForAgainAfterPausesThatGrow(t *testing.T) {
	for _, tc := range failures {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &cast{token: tc.token}
				expectPauses(t, c, tc.want, exporter(t, c.factory(t), credentialsConfig()))
			})
		})
	}
}

func TestAPasswordThatIsRefusedAfterALongTimeIsShownAgainAfterPausesThatGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		client := acquire(t, c.factory(t), passwordConfig()).Client()
		time.Sleep(time.Hour)
		c.token = refusal
		_, err := get(t, client, apiURL)
		expectError(t, err, "remote", "invalid_grant")
		expectGrants(t, c, "password refresh_token password")
		time.Sleep(time.Minute)
		expectPauses(t, c, long[1:], func() error { _, err := get(t, client, apiURL); return err })
	})
}

func TestDuringAPauseRequestsFailAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		_, err := get(t, client, apiURL)
		expectError(t, err, "remote", "invalid_grant")
		c.token = hang
		_, err = get(t, client, apiURL)
		expectError(t, err, "remote", "invalid_grant; not tried again before "+time.Now().Add(time.Minute).UTC().Format(time.RFC3339))
		expectShown(t, c, "")
	})
}

func TestATokenThatCouldBeHadForgetsThePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		client := acquire(t, c.factory(t), credentialsConfig()).Client()
		try := func() error { _, err := get(t, client, apiURL); return err }
		pauses(c, 1, 15*time.Second, try)
		time.Sleep(15 * time.Minute)
		c.token = nil
		expectStatus(t, client, apiURL, http.StatusOK)
		time.Sleep(time.Hour)
		c.token = refusal
		expectPauses(t, c, long[:2], try)
	})
}

func TestAnIssuerThatFailsIsAskedAgainAfterPausesThatGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: always(503, "")}
		expectPauses(t, c, short, exporter(t, c.factory(t), discoveryConfig()))
	})
}

func TestDuringAPauseTheErrorIsRememberedAndSaysWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		factory := c.factory(t)
		_, first := factory.Acquire(t.Context(), owner, passwordConfig())
		end := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
		time.Sleep(time.Minute - time.Nanosecond)
		lease, err := factory.Acquire(t.Context(), owner, passwordConfig())
		expectError(t, err, "remote", first.Error()+"; not tried again before "+end)
		if remote, ok := errors.AsType[*outbound.RemoteError](err); !ok || remote.StatusCode != http.StatusBadRequest || lease != nil {
			t.Errorf("Acquire = %v, %#v; want no lease, and the status", lease, err)
		}
		if factory.Versions() != 0 {
			t.Error("the client that could not be made is kept")
		}
		expectGrants(t, c, "password")
	})
}

func TestTheCauseOfARememberedErrorIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: hang}
		try := exporter(t, c.factory(t), passwordConfig())
		for range 2 {
			if err := try(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the cause is lost: %v", err)
			}
		}
		expectGrants(t, c, "password")
	})
}

func TestANewSecretIsTriedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		factory := c.factory(t)
		_, err := factory.Acquire(t.Context(), owner, passwordConfig())
		expectError(t, err, "remote", "invalid_grant")
		c.token = nil
		right := passwordConfig()
		right.Auth.Password = outbound.NewSecret("another")
		acquire(t, factory, right)
		_, err = factory.Acquire(t.Context(), owner, passwordConfig())
		expectError(t, err, "remote", "invalid_grant")
		expectGrants(t, c, "password password")
	})
}

func TestAPauseIsItsOwnersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		factory := c.factory(t)
		_, err := factory.Acquire(t.Context(), owner, passwordConfig())
		expectError(t, err, "remote", "invalid_grant")
		c.token = nil
		lease, err := factory.Acquire(t.Context(), numbered(2), passwordConfig())
		if err != nil {
			t.Fatal(err)
		}
		lease.Release()
	})
}

func TestASuccessForgetsThePauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		factory := c.factory(t)
		try := exporter(t, factory, passwordConfig())
		_ = try()
		c.token = nil
		time.Sleep(time.Minute)
		if err := try(); err != nil || factory.Pauses() != 0 {
			t.Errorf("error = %v, and %d pauses are kept, want neither", err, factory.Pauses())
		}
	})
}

func TestAFailureThatPassesBringsARefusedPasswordBackNoSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		c := &cast{token: func(r *http.Request, form url.Values) (*http.Response, error) {
			if asked++; asked == 2 {
				return answer(503, ""), nil
			}
			return refusal(r, form)
		}}
		want := []time.Duration{time.Minute, time.Second, 2 * time.Minute}
		expectPauses(t, c, want, exporter(t, c.factory(t), passwordConfig()))
	})
}

func TestPausesGoWithTheClientsThatNobodyUses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		factory := c.factory(t)
		_ = exporter(t, factory, passwordConfig())()
		time.Sleep(outbound.DefaultIdleAfter)
		if got := factory.Pauses(); got != 1 {
			t.Errorf("%d pauses are kept, want the one", got)
		}
		time.Sleep(2*time.Minute + time.Second) // the pause itself, and the next sweep
		if got := factory.Pauses(); got != 0 {
			t.Errorf("%d pauses are kept for nobody", got)
		}
	})
}

func TestTheNumberOfPausesIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{token: refusal}
		factory := c.factory(t)
		try := func(n int) {
			config := passwordConfig()
			config.Auth.Password = outbound.NewSecret(fmt.Sprint(n))
			_ = exporter(t, factory, config)()
		}
		for n := range 300 {
			try(n)
			time.Sleep(time.Millisecond)
		}
		if got := factory.Pauses(); got != 100 {
			t.Errorf("%d pauses are kept, want 100", got)
		}
		for n := range 100 {
			try(200 + n)
		}
		if got := len(c.asked); got != 300 {
			t.Errorf("%d of the last 100 are forgotten", got-300)
		}
	})
}
