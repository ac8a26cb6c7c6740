package outbound

import (
	"reflect"
	"slices"
	"strings"
)

// Mode is how a client gets the bearer tokens that it shows to its endpoints.
type Mode int

const (
	// NoAuth shows none.
	NoAuth Mode = iota
	// ClientCredentials is the grant of RFC 6749, section 4.4. The first token is
	// asked for with the first request.
	ClientCredentials
	// Password is the resource owner's grant of RFC 6749, section 4.3. The first
	// token is asked for when the client is made. After that it is refreshed, and
	// the password is shown again only if there is no refresh token, or the
	// refresh is answered with 400 or 401.
	Password
)

// ClientAuthentication is how a client shows its id and secret to the token
// endpoint, RFC 6749, section 2.3.1. It is set, not tried out: that would show
// the secret twice wherever the first try fails for some other reason.
type ClientAuthentication int

const (
	// ClientSecretBasic sends them in the header; all servers must take that. A
	// client without a secret sends its id in the body all the same.
	ClientSecretBasic ClientAuthentication = iota
	// ClientSecretPost sends them in the body.
	ClientSecretPost
)

// Auth is what a client needs to get tokens.
type Auth struct {
	Mode Mode
	// TokenURL is the token endpoint, and Issuer an OpenID Connect issuer whose
	// metadata names it: one of them, with https.
	TokenURL, Issuer string
	// ClientID is needed in both modes, ClientSecret with ClientCredentials.
	ClientID             string
	ClientSecret         Secret
	ClientAuthentication ClientAuthentication
	// Username and Password are for the mode Password only.
	Username, Password Secret
	// Scopes are asked for with each grant; none leaves them to the server.
	Scopes []string
	// Audience is sent as the parameter audience, which some servers want in order
	// to know whom the token is for. Empty means that it is not sent.
	Audience string
}

func (a Auth) validate() error {
	switch a.Mode {
	case NoAuth:
		if !reflect.ValueOf(a).IsZero() {
			return configErrorf("there are settings for authentication but no mode: set ClientCredentials or Password")
		}
		return nil
	case ClientCredentials, Password:
		return a.validateGrant()
	}
	return configErrorf("authentication mode %d is not known", a.Mode)
}

func (a Auth) validateGrant() error {
	isPassword := a.Mode == Password
	switch {
	case a.ClientID == "":
		return configErrorf("the client id is missing")
	case a.ClientAuthentication != ClientSecretBasic && a.ClientAuthentication != ClientSecretPost:
		return configErrorf("client authentication %d is not known", a.ClientAuthentication)
	case !isPassword && a.ClientSecret.IsEmpty():
		return configErrorf("the client secret is missing")
	case isPassword && (a.Username.IsEmpty() || a.Password.IsEmpty()):
		return configErrorf("the user name or the password is missing")
	case !isPassword && !(a.Username.IsEmpty() && a.Password.IsEmpty()):
		return configErrorf("a user name or password is set, which client credentials do not use")
	case slices.ContainsFunc(a.Scopes, func(scope string) bool { return scope == "" || strings.Contains(scope, " ") }):
		return configErrorf("a scope is empty or holds a space: write each as an item of its own")
	case (a.TokenURL == "") == (a.Issuer == ""):
		return configErrorf("either the token endpoint or the issuer must be set, and not both")
	}
	return a.validateURLs()
}

func (a Auth) validateURLs() error {
	if a.Issuer == "" {
		_, err := parseHTTPS("the token endpoint", a.TokenURL)
		return err
	}
	issuer, err := parseHTTPS("the issuer", a.Issuer)
	if err == nil && (issuer.RawQuery != "" || issuer.ForceQuery) {
		return configErrorf("the issuer has a query: OpenID Connect allows none")
	}
	return err
}
