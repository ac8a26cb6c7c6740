package outbound

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"
)

// grant gets a new token. It is not for concurrent use.
type grant interface {
	token(ctx context.Context) (*oauth2.Token, error)
}

// newGrant returns the grant that a spec asks for; where it does not say where to
// get it, its issuer is asked.
func newGrant(ctx context.Context, s spec, exchange http.RoundTripper) (grant, error) {
	endpoint := s.auth.TokenURL
	if s.auth.Issuer != "" {
		var err error
		if endpoint, err = discover(ctx, s, exchange); err != nil {
			return nil, err
		}
	}
	u, err := parseHTTPS("the token endpoint", endpoint)
	if err != nil {
		return nil, err
	}
	asked := tokenEndpoint{url: u, auth: s.auth, client: identityClient(s, u, exchange)}
	if s.auth.Mode == Password {
		return &passwordGrant{endpoint: asked}, nil
	}
	return &clientCredentialsGrant{asked}, nil
}

type clientCredentialsGrant struct{ endpoint tokenEndpoint }

func (g *clientCredentialsGrant) token(ctx context.Context) (*oauth2.Token, error) {
	return g.endpoint.ask(ctx, g.endpoint.extent(nil))
}

// passwordGrant shows the password once and refreshes after that.
type passwordGrant struct {
	endpoint tokenEndpoint
	refresh  string // empty if there is none
}

func (g *passwordGrant) token(ctx context.Context) (*oauth2.Token, error) {
	if g.refresh != "" {
		fresh, err := g.endpoint.ask(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.refresh}})
		if err == nil {
			g.refresh = fresh.RefreshToken
		}
		if !refused(err) {
			return fresh, err
		}
		g.refresh = ""
	}
	fresh, err := g.endpoint.ask(ctx, g.endpoint.extent(url.Values{
		"grant_type": {"password"},
		"username":   {g.endpoint.auth.Username.reveal()},
		"password":   {g.endpoint.auth.Password.reveal()},
	}))
	if err == nil {
		g.refresh = fresh.RefreshToken
	}
	return fresh, err
}

// refused tells whether a refresh token is no longer taken. All else passes, and
// is no reason to show the password.
func refused(err error) bool {
	remote, ok := errors.AsType[*RemoteError](err)
	return ok && (remote.StatusCode == http.StatusBadRequest || remote.StatusCode == http.StatusUnauthorized)
}
