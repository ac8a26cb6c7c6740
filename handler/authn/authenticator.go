package authn

import (
	"context"
	"crypto/sha256"
	"time"

	"golang.org/x/sync/singleflight"
	authenticationv1 "k8s.io/api/authentication/v1"
)

// Reviewer knows whose a token is and whether it was issued for an audience. An
// error means that it cannot tell.
type Reviewer interface {
	ReviewToken(ctx context.Context, token, audience string) (authenticationv1.TokenReviewStatus, error)
}

// Identity is who holds a token.
type Identity struct {
	// Username is as Kubernetes has it, for a ServiceAccount
	// system:serviceaccount:NAMESPACE:NAME. It is empty if the token is not valid.
	Username string
	// Refusal says why the token is not valid.
	Refusal string
}

// Options for [New].
type Options struct {
	Reviewer Reviewer
	// Audience is what tokens must have been issued for. It must not be empty:
	// Kubernetes would take that for its own API.
	Audience string
	// Now is the clock; nil stands for that of the system.
	Now func() time.Time
}

// Authenticator tells who holds a token. It is safe for concurrent use.
type Authenticator struct {
	reviewer Reviewer
	audience string
	memory   *memory
	flights  singleflight.Group
}

// New returns an Authenticator that knows no token yet.
func New(options Options) *Authenticator {
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Authenticator{reviewer: options.Reviewer, audience: options.Audience, memory: newMemory(options.Now)}
}

// Authenticate returns who holds a token. Requests that come with the same token
// at the same time wait for one review. An error means that it cannot be told
// now; it is not remembered.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (Identity, error) {
	key := sha256.Sum256([]byte(token))
	if known, ok := a.memory.recall(key); ok {
		return known, nil
	}
	answer, err, _ := a.flights.Do(string(key[:]), func() (any, error) {
		// Another flight may have landed since we looked.
		if known, ok := a.memory.recall(key); ok {
			return known, nil
		}
		identity, err := a.review(ctx, token)
		if err == nil {
			a.memory.keep(key, identity, token)
		}
		return identity, err
	})
	if err != nil {
		return Identity{}, err
	}
	return answer.(Identity), nil
}

// review outlives the request that it is made for: others may wait for it.
func (a *Authenticator) review(ctx context.Context, token string) (Identity, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTimeout)
	defer cancel()
	status, err := a.reviewer.ReviewToken(ctx, token, a.audience)
	if err != nil {
		return Identity{}, err
	}
	return judge(status, token, a.audience), nil
}
