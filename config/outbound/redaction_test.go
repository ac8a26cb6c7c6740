package outbound_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// printed returns a value as all the ways of printing have it.
func printed(value any) string {
	var all bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		fmt.Fprintf(&all, verb+"\n", value)
	}
	asJSON, _ := json.Marshal(value)
	asXML, _ := xml.Marshal(value)
	all.Write(asJSON)
	all.Write(asXML)
	for _, handler := range []slog.Handler{slog.NewTextHandler(&all, nil), slog.NewJSONHandler(&all, nil)} {
		slog.New(handler).Info("message", "value", value, slog.Group("group", "value", value))
	}
	return all.String()
}

// forms returns a text as it stands in what is printed.
func forms(secret string) []string {
	goSyntax := fmt.Sprintf("%#v", []byte(secret))
	return []string{
		secret,
		fmt.Sprintf("%x", secret),
		fmt.Sprintf("%X", secret),
		fmt.Sprint([]byte(secret)),
		strings.TrimSuffix(strings.TrimPrefix(goSyntax, "[]byte{"), "}"),
		url.QueryEscape(secret),
	}
}

func expectNoSecrets(t *testing.T, what string, value any, secrets []string) {
	t.Helper()
	text := printed(value)
	for _, secret := range secrets {
		for _, form := range forms(secret) {
			if strings.Contains(text, form) {
				t.Errorf("%s shows %q: %s", what, form, text)
			}
		}
	}
}

// hidden holds a Secret where fmt cannot call its methods.
type hidden struct{ secret outbound.Secret }

func TestNoWayOfPrintingShowsASecret(t *testing.T) {
	secrets := []string{"s3cret", "pa55word", "alice", "access-1", "refresh-1"}
	c := &cast{}
	factory := c.factory(t)
	config := passwordConfig()
	lease := acquire(t, factory, config)
	secrets = append(secrets, lease.Fingerprint())
	transport := outbound.Transport(factory, owner, given(config))
	expectStatus(t, &http.Client{Transport: transport}, apiURL, http.StatusOK)
	for what, value := range map[string]any{
		"a Secret":                config.Auth.Password,
		"a pointer to one":        &config.Auth.Password,
		"one in an unknown field": hidden{config.Auth.Password},
		"its text":                config.Auth.Password.String(),
		"an Auth":                 config.Auth,
		"a Config":                config,
		"a pointer to a Config":   &config,
		"a Factory":               factory,
		"a Lease":                 lease,
		"its client":              lease.Client(),
		"its transport":           lease.Client().Transport,
		"a Transport":             transport,
		"Options":                 outbound.Options{},
	} {
		expectNoSecrets(t, what, value, secrets)
	}
}

func TestNoErrorShowsASecret(t *testing.T) {
	secrets := []string{"s3cret", "pa55word", "alice", "access-1", "refresh-1", canary}
	for name, c := range map[string]*cast{
		"token refused":      {token: always(400, `{"error": "`+canary+`", "error_description": "alice pa55word"}`)},
		"token junk":         {token: always(200, `{"access_token": "`+canary+`", "expires_in": "pa55word"}`)},
		"token unreachable":  {token: func(*http.Request, url.Values) (*http.Response, error) { return nil, errors.New(canary) }},
		"token overload":     {token: always(503, canary)},
		"token redirect":     {token: always(302, canary)},
		"api unreachable":    {api: func(*http.Request, url.Values) (*http.Response, error) { return nil, errors.New(canary) }},
		"api redirect":       {api: always(302, canary)},
		"api refuses, token": {api: always(401, canary), token: afterFirst(always(400, canary))},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := get(t, lasting(c.factory(t), given(passwordConfig())), apiURL)
			if err == nil {
				t.Fatal("there is no error")
			}
			for at := err; at != nil; at = errors.Unwrap(at) {
				expectNoSecrets(t, "the error", at, secrets)
			}
		})
	}
}

// afterFirst leaves the first request to what is usual.
func afterFirst(then func(*http.Request, url.Values) (*http.Response, error)) func(*http.Request, url.Values) (*http.Response, error) {
	first := true
	return func(r *http.Request, form url.Values) (*http.Response, error) {
		if first {
			first = false
			return nil, nil
		}
		return then(r, form)
	}
}

func TestASecretIsEmptyOnlyWithoutText(t *testing.T) {
	var zero outbound.Secret
	if !zero.IsEmpty() || !outbound.NewSecret("").IsEmpty() || outbound.NewSecret("x").IsEmpty() {
		t.Error("IsEmpty is wrong")
	}
	expectNoSecrets(t, "an empty Secret", zero, []string{"nil"})
}
