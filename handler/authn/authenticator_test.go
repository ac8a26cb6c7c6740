package authn_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const audience = "serving.knative.dev/service/test/handler"

// desk is an Authenticator before the real API server, whose reviews are counted
// and whose clock is the test's to put forward.
type desk struct {
	*authn.Authenticator
	user    *namespace.Namespace
	reviews atomic.Int64
	away    atomic.Bool // the API server does not answer
	now     time.Time
}

var errAway = errors.New("nobody answers")

func newDesk(t *testing.T, mutate func(*rest.Config)) *desk {
	t.Helper()
	d := &desk{user: namespace.New(t, plane.Config()), now: time.Now()}
	config := plane.Config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			d.reviews.Add(1)
			if d.away.Load() {
				return nil, errAway
			}
			return next.RoundTrip(r)
		})
	})
	if mutate != nil {
		mutate(config)
	}
	reviewer, err := cluster.New(config, noop.NewTracerProvider())
	namespace.Must(t, err)
	d.Authenticator = authn.New(authn.Options{Reviewer: reviewer, Audience: audience, Now: func() time.Time { return d.now }})
	return d
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (d *desk) account(name string) *namespace.Account {
	return d.user.CreateAccount(plane.Config(), name)
}

// expectReviews asks once more and says how often the API server has been asked
// since the beginning.
func (d *desk) expectReviews(t *testing.T, token string, want int64) {
	t.Helper()
	if _, err := d.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	if got := d.reviews.Load(); got != want {
		t.Errorf("the API server was asked %d times, want %d", got, want)
	}
}

func TestATokenForTheAudienceNamesItsServiceAccount(t *testing.T) {
	d := newDesk(t, nil)
	source := d.account("source")
	for name, audiences := range map[string][]string{
		"for it alone":        {audience},
		"for it among others": {"another", audience},
	} {
		identity, err := d.Authenticate(t.Context(), source.Token(time.Hour, audiences...))
		if err != nil || identity != (authn.Identity{Username: source.Username}) {
			t.Errorf("%s: Authenticate = %+v, %v; want %s", name, identity, err, source.Username)
		}
	}
}

// The API server issues no token that is good for less than ten minutes, so none
// expires within a test. What an expired one meets is shown in two parts: one
// that the API server no longer knows is refused, here by way of a deleted
// ServiceAccount, and after its own expiry it is asked again, see
// TestATokenIsNotRememberedPastItsOwnExpiry.
func TestATokenThatIsNotValidForTheAudienceNamesNobody(t *testing.T) {
	d := newDesk(t, nil)
	gone := d.account("gone")
	ofGone := gone.Token(time.Hour, audience)
	gone.Delete()
	good := d.account("source").Token(time.Hour, audience)
	header, rest, _ := strings.Cut(good, ".")
	for name, token := range map[string]string{
		"for another audience":        d.account("other").Token(time.Hour, "another"),
		"for the API server":          d.account("pod").Token(time.Hour),
		"of a deleted ServiceAccount": ofGone,
		"with a changed signature":    good[:len(good)-8] + "AAAAAAAA",
		"without a signature":         good[:strings.LastIndex(good, ".")+1],
		"of another signing key":      header + ".e30." + rest[strings.Index(rest, ".")+1:],
		"no JWT":                      "garbage",
	} {
		t.Run(name, func(t *testing.T) {
			identity, err := d.Authenticate(t.Context(), token)
			if err != nil || identity.Username != "" || identity.Refusal == "" {
				t.Errorf("Authenticate = %+v, %v; want nobody and a reason", identity, err)
			}
			if strings.Contains(identity.Refusal, token) {
				t.Errorf("the reason repeats the token: %s", identity.Refusal)
			}
		})
	}
}

func TestManyRequestsWithOneTokenCostOneReview(t *testing.T) {
	d := newDesk(t, nil)
	source := d.account("source")
	token := source.Token(time.Hour, audience)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if identity, err := d.Authenticate(t.Context(), token); err != nil || identity.Username != source.Username {
				t.Errorf("Authenticate = %+v, %v; want %s", identity, err, source.Username)
			}
		})
	}
	all.Wait()
	d.expectReviews(t, token, 1)
	d.expectReviews(t, source.Token(30*time.Minute, audience), 2) // another token
}

func TestAValidTokenIsRememberedForTenMinutes(t *testing.T) {
	d := newDesk(t, nil)
	token := d.account("source").Token(time.Hour, audience)
	d.expectReviews(t, token, 1)
	d.now = d.now.Add(10 * time.Minute)
	d.expectReviews(t, token, 1)
	d.now = d.now.Add(time.Second)
	d.expectReviews(t, token, 2)
}

func TestATokenIsNotRememberedPastItsOwnExpiry(t *testing.T) {
	d := newDesk(t, nil)
	token := d.account("source").Token(10*time.Minute, audience)
	start := d.now
	d.now = start.Add(5 * time.Minute) // of which five are left then
	d.expectReviews(t, token, 1)
	d.now = start.Add(10*time.Minute - 2*time.Second)
	d.expectReviews(t, token, 1)
	d.now = start.Add(10*time.Minute + 2*time.Second)
	d.expectReviews(t, token, 2)
	d.expectReviews(t, token, 3) // expired by our clock: taken at the API server's word, but not remembered
}

func TestATokenThatIsNotValidIsRememberedForTenSeconds(t *testing.T) {
	d := newDesk(t, nil)
	d.expectReviews(t, "garbage", 1)
	d.now = d.now.Add(10 * time.Second)
	d.expectReviews(t, "garbage", 1)
	d.now = d.now.Add(time.Second)
	d.expectReviews(t, "garbage", 2)
}

func TestWhatTheAPIServerCannotTellIsAnErrorAndNotRemembered(t *testing.T) {
	d := newDesk(t, nil)
	source := d.account("source")
	token := source.Token(time.Hour, audience)
	d.away.Store(true)
	identity, err := d.Authenticate(t.Context(), token)
	if !errors.Is(err, errAway) || identity != (authn.Identity{}) {
		t.Errorf("Authenticate = %+v, %v; want nobody and %v", identity, err, errAway)
	}
	if err != nil && strings.Contains(err.Error(), token) {
		t.Errorf("the error repeats the token: %v", err)
	}
	d.away.Store(false)
	if identity, err := d.Authenticate(t.Context(), token); err != nil || identity.Username != source.Username {
		t.Errorf("Authenticate = %+v, %v when it is back; want %s", identity, err, source.Username)
	}
}

// A sender that goes away must not spoil the answer for those who wait for it.
func TestAReviewOutlivesTheRequestThatItIsMadeFor(t *testing.T) {
	d := newDesk(t, nil)
	source := d.account("source")
	token := source.Token(time.Hour, audience)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if identity, err := d.Authenticate(ctx, token); err != nil || identity.Username != source.Username {
		t.Errorf("Authenticate = %+v, %v; want %s", identity, err, source.Username)
	}
}
