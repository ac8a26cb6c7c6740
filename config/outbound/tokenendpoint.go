package outbound

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// tokenEndpoint is where tokens come from.
type tokenEndpoint struct {
	url    *url.URL
	auth   Auth
	client *http.Client
}

// extent returns the parameters, and those that say what a token is to be good
// for. A refresh goes without: it gives the same again.
func (e tokenEndpoint) extent(parameters url.Values) url.Values {
	all := maps.Clone(parameters)
	if all == nil {
		all = url.Values{}
	}
	if len(e.auth.Scopes) > 0 {
		all.Set("scope", strings.Join(e.auth.Scopes, " "))
	}
	if e.auth.Audience != "" {
		all.Set("audience", e.auth.Audience)
	}
	return all
}

// ask makes one request for a token. All three grants go by clientcredentials,
// which lets grant_type be set: x/oauth2's own password grant takes no audience.
func (e tokenEndpoint) ask(ctx context.Context, parameters url.Values) (*oauth2.Token, error) {
	request := clientcredentials.Config{
		ClientID:       e.auth.ClientID,
		ClientSecret:   e.auth.ClientSecret.reveal(),
		TokenURL:       e.url.String(),
		EndpointParams: parameters,
		AuthStyle:      e.style(),
	}
	fresh, err := request.Token(context.WithValue(ctx, oauth2.HTTPClient, e.client))
	if err != nil {
		return nil, tokenError(e.url.Host, err)
	}
	// RFC 6749, section 7.1: a token of a type that one does not know is not used.
	if fresh.Type() != "Bearer" || !httpguts.ValidHeaderFieldValue(fresh.AccessToken) {
		return nil, during(getToken, remoteErrorf("what %s issued is no bearer token", e.url.Host))
	}
	return fresh, nil
}

// style is never auto-detect, which sends a second request after any failure of
// the first.
func (e tokenEndpoint) style() oauth2.AuthStyle {
	if e.auth.ClientAuthentication == ClientSecretPost || e.auth.ClientSecret.IsEmpty() {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
