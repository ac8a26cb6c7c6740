package config

import (
	"errors"
	"fmt"
	"net/url"
)

// The grants of RFC 6749 that an [OAuth2] may ask for.
const (
	ClientCredentials = "ClientCredentials" // section 4.4, the default
	Password          = "Password"          // section 4.3
)

// OAuth2 is where the tokens come from that the handler shows to a server. What
// is secret is read from files, such as those of a mounted Secret: a ConfigMap is
// no place for it.
type OAuth2 struct {
	// Grant is ClientCredentials or Password; empty is the former.
	Grant string `json:"grant,omitempty"`
	// Issuer is asked for the token endpoint by OpenID Connect Discovery; TokenURL
	// is the endpoint itself. One of them is set, and is an https URL.
	Issuer   string `json:"issuer,omitempty"`
	TokenURL string `json:"tokenURL,omitempty"`
	ClientID string `json:"clientID,omitempty"`
	// ClientSecretFile is an absolute path. With Password it may be absent, for a
	// public client.
	ClientSecretFile string `json:"clientSecretFile,omitempty"`
	// Username and PasswordFile, an absolute path, are for Password.
	Username     string   `json:"username,omitempty"`
	PasswordFile string   `json:"passwordFile,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	// Audience is sent as the parameter of that name, which some servers want.
	Audience string `json:"audience,omitempty"`
}

func (o *OAuth2) validate() error {
	if o == nil {
		return nil
	}
	faults := []error{o.validateEndpoint()}
	if o.ClientID == "" {
		faults = append(faults, errors.New("clientID is missing"))
	}
	switch o.Grant {
	case "", ClientCredentials:
		if o.ClientSecretFile == "" {
			faults = append(faults, errors.New("clientSecretFile is missing"))
		}
		if o.Username != "" || o.PasswordFile != "" {
			faults = append(faults, fmt.Errorf("username and passwordFile are for grant: %s", Password))
		}
	case Password:
		if o.Username == "" || o.PasswordFile == "" {
			faults = append(faults, fmt.Errorf("grant: %s wants username and passwordFile", Password))
		}
	default:
		faults = append(faults, fmt.Errorf("grant is %q: write %s or %s", o.Grant, ClientCredentials, Password))
	}
	for _, path := range []string{o.ClientSecretFile, o.PasswordFile} {
		if path != "" {
			faults = append(faults, validatePath(path))
		}
	}
	return errors.Join(faults...)
}

func (o *OAuth2) validateEndpoint() error {
	if (o.Issuer == "") == (o.TokenURL == "") {
		return errors.New("write one of issuer and tokenURL")
	}
	for key, text := range map[string]string{"issuer": o.Issuer, "tokenURL": o.TokenURL} {
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
			return fmt.Errorf("%s is to be an https URL without a user and a fragment", key)
		}
	}
	return nil
}
