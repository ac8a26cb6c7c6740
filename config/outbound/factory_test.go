package outbound_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

func TestManyWhoAskAtOnceShareTheMakingOfAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue := make(chan struct{})
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { <-issue; return nil, nil }}
		factory := c.factory(t)
		leases := make([]*outbound.Lease, 20)
		var all sync.WaitGroup
		for i := range leases {
			all.Go(func() { leases[i] = acquire(t, factory, passwordConfig()) })
		}
		synctest.Wait()
		close(issue)
		all.Wait()
		for _, lease := range leases {
			if !lease.IsSame(leases[0]) {
				t.Error("two clients were made")
			}
		}
		expectGrants(t, c, "password")
	})
}

func TestManyWhoAskAtOnceShareAFailureToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue := make(chan struct{})
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { <-issue; return answer(503, ""), nil }}
		factory := c.factory(t)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				lease, err := factory.Acquire(t.Context(), owner, passwordConfig())
				expectError(t, err, "transient", "answers 503")
				if lease != nil {
					t.Error("there is a lease in spite of the error")
				}
			})
		}
		synctest.Wait()
		close(issue)
		all.Wait()
		expectGrants(t, c, "password")
		if factory.Versions() != 0 {
			t.Error("the failure is kept")
		}
	})
}

func TestTheFirstWhoAsksMayLeaveWithoutHarmToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue := make(chan struct{})
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { <-issue; return nil, nil }}
		factory := c.factory(t)
		impatient, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			_, err := factory.Acquire(impatient, owner, passwordConfig())
			expectError(t, err, "transient", "wait for the client: given up")
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the cause is lost: %v", err)
			}
		})
		synctest.Wait()
		all.Go(func() { acquire(t, factory, passwordConfig()) })
		synctest.Wait()
		leave()
		synctest.Wait()
		close(issue)
		all.Wait()
		expectGrants(t, c, "password")
	})
}

func TestAClientThatNobodyWaitsForAnyMoreIsReadyForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue := make(chan struct{})
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { <-issue; return nil, nil }}
		factory := c.factory(t)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := factory.Acquire(short, owner, passwordConfig())
		expectError(t, err, "transient", "wait for the client: no answer in time")
		close(issue)
		synctest.Wait()
		acquire(t, factory, passwordConfig()).Release()
		expectGrants(t, c, "password")
		time.Sleep(time.Hour)
		if factory.Versions() != 0 {
			t.Error("whoever stopped waiting still counts as a borrower")
		}
	})
}

func TestEachRequestThatTheMakingOfAClientTakesHasTheTimeoutToItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		describe := describing(http.StatusOK, goodMetadata)
		c := &cast{token: func(r *http.Request, form url.Values) (*http.Response, error) {
			select {
			case <-time.After(profile.Timeout * 4 / 5):
				return describe(r, form)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}}
		config := passwordConfig()
		config.Auth.TokenURL, config.Auth.Issuer = "", issuer
		expectStatus(t, acquire(t, c.factory(t), config).Client(), apiURL, http.StatusOK)
	})
}

func TestTheMakingOfAClientEndsWhereverItHangs(t *testing.T) {
	hanging := func(method string, how func(*http.Request, url.Values) (*http.Response, error)) func(*http.Request, url.Values) (*http.Response, error) {
		describe := describing(http.StatusOK, goodMetadata)
		return func(r *http.Request, form url.Values) (*http.Response, error) {
			if r.Method == method {
				return how(r, form)
			}
			return describe(r, form)
		}
	}
	endless := func(r *http.Request, _ url.Values) (*http.Response, error) {
		response := answer(http.StatusOK, "")
		response.Body = slow{r.Context()}
		return response, nil
	}
	for name, c := range map[string]*cast{
		"the issuer":                     {token: hanging(http.MethodGet, hang)},
		"the issuer's answer":            {token: hanging(http.MethodGet, endless)},
		"the token endpoint":             {token: hanging(http.MethodPost, hang)},
		"the answer of a token endpoint": {token: hanging(http.MethodPost, endless)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := passwordConfig()
				config.Auth.TokenURL, config.Auth.Issuer = "", issuer
				start := time.Now()
				_, err := c.factory(t).Acquire(context.Background(), owner, config)
				expectError(t, err, "transient", "no answer in time")
				if took := time.Since(start); took != profile.Timeout {
					t.Errorf("it took %v, want %v", took, profile.Timeout)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the cause is lost: %v", err)
				}
			})
		})
	}
}

func TestClosingStopsTheSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64 // each sweep looks at the clock
		factory := newFactory(t, func(o *outbound.Options) {
			o.Now = func() time.Time { looks.Add(1); return time.Now() }
		})
		time.Sleep(10*time.Minute + time.Second)
		if got := looks.Load(); got != 10 {
			t.Errorf("%d sweeps in ten minutes, want 10", got)
		}
		factory.Close()
		time.Sleep(10 * time.Minute)
		if got := looks.Load(); got != 10 {
			t.Errorf("%d sweeps after the close", got-10)
		}
	})
}

func TestOwnersNeverShareAClient(t *testing.T) {
	factory := newFactory(t, nil)
	config := outbound.Config{Profile: profile.Name, Endpoints: []string{apiURL}, Trust: outbound.SystemRoots{}}
	mine := acquire(t, factory, config)
	for _, mutate := range []func(*outbound.Owner){
		func(o *outbound.Owner) { o.Kind += "x" },
		func(o *outbound.Owner) { o.Namespace += "x" },
		func(o *outbound.Owner) { o.Name += "x" },
		func(o *outbound.Owner) { o.UID += "x" },
	} {
		other := owner
		mutate(&other)
		theirs, err := factory.Acquire(t.Context(), other, config)
		if err != nil {
			t.Fatal(err)
		}
		defer theirs.Release()
		if theirs.IsSame(mine) {
			t.Errorf("%v shares the client of %v", other, owner)
		}
	}
	if !acquire(t, factory, config).IsSame(mine) {
		t.Error("the owner has two clients of one version")
	}
}

func TestAClientGoesHalfAnHourAfterItsLastAcquisition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		factory := (&cast{}).factory(t)
		acquire(t, factory, credentialsConfig()).Release()
		time.Sleep(29 * time.Minute)
		acquire(t, factory, credentialsConfig()).Release()
		time.Sleep(29*time.Minute + 59*time.Second)
		if factory.Versions() != 1 {
			t.Error("it went too early")
		}
		time.Sleep(time.Minute + time.Second) // the next sweep comes within a minute
		if factory.Versions() != 0 {
			t.Error("it is still there")
		}
	})
}

func TestAClientThatIsBorrowedStaysHoweverLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		factory := c.factory(t)
		lease := acquire(t, factory, credentialsConfig())
		time.Sleep(24 * time.Hour)
		expectStatus(t, lease.Client(), apiURL, http.StatusOK)
		lease.Release()
		time.Sleep(time.Minute + time.Second)
		if factory.Versions() != 0 {
			t.Error("it is still there")
		}
	})
}

func TestToReleaseTwiceGivesBackOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		factory := (&cast{}).factory(t)
		mine, theirs := acquire(t, factory, credentialsConfig()), acquire(t, factory, credentialsConfig())
		mine.Release()
		mine.Release()
		time.Sleep(time.Hour)
		if !factory.Kept(theirs) {
			t.Error("the other lease has lost its client")
		}
	})
}

// What a client has asked for when it goes would be answered to nobody.
func TestAClientThatGoesEndsItsRequestForAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		c := &cast{token: func(r *http.Request, form url.Values) (*http.Response, error) {
			<-r.Context().Done()
			ended <- r.Context().Err()
			return nil, r.Context().Err()
		}}
		factory := newFactory(t, func(o *outbound.Options) {
			o.Wrap = func(http.RoundTripper) http.RoundTripper { return c }
			o.IdleAfter = time.Second
		})
		lease := acquire(t, factory, credentialsConfig())
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			r, _ := http.NewRequestWithContext(ctx, http.MethodGet, apiURL, nil)
			_, _ = do(lease.Client(), r)
		}()
		synctest.Wait()
		leave()
		lease.Release()
		time.Sleep(2 * time.Second)
		factory.Sweep()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the request ended with %v, want that it was cancelled", err)
		}
	})
}

func TestATokenIsAskedForUnderTheFactorysLifetimeNotTheAcquisitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		factory := c.factory(t)
		ctx, end := context.WithCancel(t.Context())
		lease, err := factory.Acquire(ctx, owner, passwordConfig())
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Release()
		end()
		time.Sleep(time.Hour)
		expectStatus(t, lease.Client(), apiURL, http.StatusOK)
		expectGrants(t, c, "password refresh_token")
	})
}

func TestAClosedFactoryGivesNoMoreClients(t *testing.T) {
	factory := (&cast{}).factory(t)
	factory.Close()
	factory.Close()
	_, err := factory.Acquire(t.Context(), owner, credentialsConfig())
	expectError(t, err, "transient", "the factory of clients is closed")
	if !errors.Is(err, outbound.ErrClosed) {
		t.Errorf("%v is not ErrClosed", err)
	}
}

func TestClosingLeavesBorrowedClientsUntilTheyAreReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		factory := c.factory(t)
		borrowed, free := acquire(t, factory, credentialsConfig()), acquire(t, factory, passwordConfig())
		var closed []string
		borrowed.OnClose(func() { closed = append(closed, "borrowed") })
		free.OnClose(func() { closed = append(closed, "free") })
		free.Release()
		factory.Close()
		if len(closed) != 1 || closed[0] != "free" {
			t.Errorf("closed are %q, want the free one", closed)
		}
		expectStatus(t, borrowed.Client(), apiURL, http.StatusOK) // with a token that it had to ask for
		borrowed.Release()
		factory.Close()
		if len(closed) != 2 {
			t.Errorf("closed are %q, want each once", closed)
		}
	})
}

func TestAClientThatIsBeingMadeAtTheCloseIsClosedWhenNobodyHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue := make(chan struct{})
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) { <-issue; return nil, nil }}
		factory := c.factory(t)
		got := make(chan *outbound.Lease)
		go func() { got <- acquire(t, factory, passwordConfig()) }()
		synctest.Wait()
		factory.Close()
		close(issue)
		lease := <-got
		closed := false
		lease.OnClose(func() { closed = true })
		expectStatus(t, lease.Client(), apiURL, http.StatusOK)
		if lease.Release(); !closed {
			t.Error("it is still open")
		}
	})
}

func TestTheEndOfTheLifetimeClosesTheFactory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		lifetime, end := context.WithCancel(t.Context())
		factory := outbound.NewFactory(lifetime, outbound.Options{Wrap: func(http.RoundTripper) http.RoundTripper { return c }})
		if err := factory.Register(profile); err != nil {
			t.Fatal(err)
		}
		lease := acquire(t, factory, credentialsConfig())
		end()
		synctest.Wait()
		_, err := factory.Acquire(t.Context(), owner, credentialsConfig())
		expectError(t, err, "transient", "is closed")
		_, err = get(t, lease.Client(), apiURL)
		expectError(t, err, "transient", "given up, as its context ended")
	})
}

// What the caller does with its slices afterwards is its own business.
func TestAClientIsMadeOfTheConfigAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cast{}
		config := credentialsConfig()
		config.Auth.Scopes = []string{"write"}
		lease := acquire(t, c.factory(t), config)
		config.Auth.Scopes[0], config.Endpoints[0] = "all", "https://other.example"
		expectStatus(t, lease.Client(), apiURL, http.StatusOK)
		if got := c.asked[0].Get("scope"); got != "write" {
			t.Errorf("scope = %q, want write", got)
		}
	})
}
