package outbound_test

import (
	"net/http"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

func TestASettingThatCannotBeObeyedIsAConfigErrorThatNamesIt(t *testing.T) {
	for _, tc := range []struct {
		name   string
		base   func() outbound.Config
		mutate func(*outbound.Config)
		want   string
	}{
		{"unknown profile", credentialsConfig, func(c *outbound.Config) { c.Profile = "other" }, `profile "other" is not registered`},
		{"no trust", credentialsConfig, func(c *outbound.Config) { c.Trust = nil }, "no trust is set"},
		{"no endpoint", credentialsConfig, func(c *outbound.Config) { c.Endpoints = nil }, "no endpoint is set"},
		{"an endpoint without host", credentialsConfig, func(c *outbound.Config) { c.Endpoints = append(c.Endpoints, "https:///v1") }, "endpoint 2 is not a URL of the form"},
		{"an endpoint without scheme", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] = "api.example:443" }, "endpoint 1 is not a URL of the form"},
		{"an endless endpoint", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] = "https://" + strings.Repeat("a", 1000) }, "endpoint 1 is not a URL of the form"},
		{"an endpoint of another scheme", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] = "ftp://api.example" }, "endpoint 1 is not a URL of the form"},
		{"an endpoint with a password", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] = "https://me:s3cret@api.example" }, "endpoint 1 holds a user name or a password"},
		{"an unreadable endpoint with a password", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] = "https://me:s3cret@api.example:x" }, "endpoint 1 is not a URL of the form"},
		{"an endpoint with a fragment", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] += "#s3cret" }, "endpoint 1 has a fragment"},
		{"a token in plain text", credentialsConfig, func(c *outbound.Config) { c.Endpoints[0] = "http://api.example" }, "endpoint 1 is on api.example without TLS"},
		{"a password in plain text", passwordConfig, func(c *outbound.Config) { c.Auth.TokenURL = "http://idp.example/token" }, "the token endpoint is on idp.example without TLS"},
		{"an issuer in plain text", discoveryConfig, func(c *outbound.Config) { c.Auth.Issuer = "http://idp.example" }, "the issuer is on idp.example without TLS"},
		{"an issuer with a query", discoveryConfig, func(c *outbound.Config) { c.Auth.Issuer += "?a=s3cret" }, "the issuer has a query"},
		{"an issuer with a password", discoveryConfig, func(c *outbound.Config) { c.Auth.Issuer = "https://me:s3cret@idp.example" }, "the issuer holds a user name"},
		{"neither", credentialsConfig, func(c *outbound.Config) { c.Auth.TokenURL = "" }, "either the token endpoint or the issuer"},
		{"both", discoveryConfig, func(c *outbound.Config) { c.Auth.TokenURL = tokenURL }, "either the token endpoint or the issuer"},
		{"no mode", credentialsConfig, func(c *outbound.Config) { c.Auth.Mode = outbound.NoAuth }, "no mode"},
		{"unknown mode", credentialsConfig, func(c *outbound.Config) { c.Auth.Mode = 3 }, "mode 3 is not known"},
		{"unknown client authentication", credentialsConfig, func(c *outbound.Config) { c.Auth.ClientAuthentication = 2 }, "client authentication 2 is not known"},
		{"no client id", credentialsConfig, func(c *outbound.Config) { c.Auth.ClientID = "" }, "the client id is missing"},
		{"no client secret", credentialsConfig, func(c *outbound.Config) { c.Auth.ClientSecret = outbound.NewSecret("") }, "the client secret is missing"},
		{"no user name", passwordConfig, func(c *outbound.Config) { c.Auth.Username = outbound.Secret{} }, "the user name or the password is missing"},
		{"no password", passwordConfig, func(c *outbound.Config) { c.Auth.Password = outbound.Secret{} }, "the user name or the password is missing"},
		{"a password that is not used", passwordConfig, func(c *outbound.Config) { c.Auth.Mode = outbound.ClientCredentials }, "which client credentials do not use"},
		{"two scopes in one", credentialsConfig, func(c *outbound.Config) { c.Auth.Scopes = []string{"a b"} }, "a scope is empty or holds a space"},
		{"an empty scope", credentialsConfig, func(c *outbound.Config) { c.Auth.Scopes = []string{""} }, "a scope is empty or holds a space"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, config := &cast{}, tc.base()
			tc.mutate(&config)
			_, err := c.factory(t).Acquire(t.Context(), owner, config)
			expectError(t, err, "config", tc.want)
			if err != nil && strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error repeats the setting: %v", err)
			}
			expectGrants(t, c, "")
		})
	}
}

func TestWithoutAuthenticationPlainTextIsTaken(t *testing.T) {
	c := &cast{}
	lease := acquire(t, c.factory(t), outbound.Config{Profile: profile.Name, Endpoints: []string{"http://api.example/v1"}, Trust: outbound.SystemRoots{}})
	expectStatus(t, lease.Client(), "http://api.example/v1", http.StatusOK)
	expectShown(t, c, "")
	expectGrants(t, c, "")
}

func TestAnOwnerHasAKindAndAName(t *testing.T) {
	for _, nobody := range []outbound.Owner{{}, {Kind: "Test"}, {Name: "edge"}} {
		_, err := (&cast{}).factory(t).Acquire(t.Context(), nobody, credentialsConfig())
		expectError(t, err, "config", "the owner of a client has no kind or no name")
	}
}

func TestAProfileThatCannotBeObeyedIsRefused(t *testing.T) {
	for _, tc := range []struct {
		mutate func(*outbound.Profile)
		want   string
	}{
		{func(p *outbound.Profile) { p.Name = "" }, "has no name"},
		{func(p *outbound.Profile) { p.Timeout = 0 }, "the timeout is 0s"},
		{func(p *outbound.Profile) { p.Timeout = -1 }, "the timeout is -1ns"},
		{func(p *outbound.Profile) { p.Timeout = 1 << 40 }, "at most 5m0s"},
		{func(p *outbound.Profile) { p.MaxIdleConnsPerHost = -1 }, "-1 idle connections"},
		{func(p *outbound.Profile) { p.MaxIdleConnsPerHost = 101 }, "101 idle connections"},
		{func(p *outbound.Profile) { p.ClientCertificateFile = "tls.crt" }, "name both files or none"},
		{func(p *outbound.Profile) { p.ClientKeyFile = "tls.key" }, "name both files or none"},
	} {
		bad := outbound.Profile{Name: "bad", Timeout: profile.Timeout}
		tc.mutate(&bad)
		expectError(t, newFactory(t, nil).Register(bad), "config", tc.want)
	}
}

func TestAProfileIsRegisteredOnce(t *testing.T) {
	factory := newFactory(t, nil) // has profile
	if err := factory.Register(profile); err != nil {
		t.Errorf("the same again: %v", err)
	}
	other := profile
	other.MinTLS12 = true
	expectError(t, factory.Register(other), "config", "profile test is registered already, with other settings")
}
