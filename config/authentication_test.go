package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const withAuthentication = header + `authentication:
  audience: ours
  allowed:
  - system:serviceaccount:gateway-cert:source
  - system:serviceaccount:events:*
  - oidc:somebody@example.com
`

func TestSettingsSayWhoseEventsAreTaken(t *testing.T) {
	loaded, err := config.Load(file(t, withAuthentication))
	if err != nil {
		t.Fatal(err)
	}
	want := &config.Authentication{Audience: "ours", Allowed: []string{
		"system:serviceaccount:gateway-cert:source", "system:serviceaccount:events:*", "oidc:somebody@example.com",
	}}
	if diff := cmp.Diff(want, loaded.Authentication); diff != "" {
		t.Errorf("authentication (-want +got):\n%s", diff)
	}
}

func TestWithoutAWordOnItEverybodysEventsAreTaken(t *testing.T) {
	loaded, err := config.Load(file(t, everyKey))
	if err != nil || loaded.Authentication != nil {
		t.Errorf("Load = %+v, %v; want no authentication", loaded.Authentication, err)
	}
}

func TestAllowed(t *testing.T) {
	loaded, err := config.Load(file(t, withAuthentication))
	if err != nil {
		t.Fatal(err)
	}
	for username, want := range map[string]bool{
		"system:serviceaccount:gateway-cert:source":  true,
		"system:serviceaccount:gateway-cert:source2": false,
		"system:serviceaccount:gateway-cert:":        false,
		"system:serviceaccount:events:any":           true,
		"system:serviceaccount:events:*":             true,
		"system:serviceaccount:events:":              false,
		"system:serviceaccount:events":               false,
		"system:serviceaccount:events2:any":          false,
		"oidc:somebody@example.com":                  true,
		"somebody@example.com":                       false,
		"":                                           false,
	} {
		if got := loaded.Authentication.Allows(username); got != want {
			t.Errorf("Allows(%q) = %v, want %v", username, got, want)
		}
	}
}

func TestAuthenticationThatCannotBeObeyedIsAnError(t *testing.T) {
	allowing := func(entry string) string { return "{audience: a, allowed: [" + entry + "]}" }
	for name, tc := range map[string]struct{ value, says string }{
		"left open":                    {"", "authentication: Required value: it is left open"},
		"empty":                        {"{}", "authentication.audience: Required value"},
		"no allowed":                   {"{audience: a}", "authentication.allowed: Required value"},
		"nobody allowed":               {"{audience: a, allowed: []}", "authentication.allowed: Required value"},
		"no audience":                  {"{allowed: [a]}", "authentication.audience: Required value"},
		"an unknown key":               {"{audience: a, allowed: [a], audiences: [a]}", "authentication.audiences: unknown key"},
		"an audience that is a list":   {"{audience: [a], allowed: [a]}", "authentication.audience: want text, in quotes if need be, got a list"},
		"an empty entry":               {allowing("''"), "authentication.allowed[0]: Invalid value: \"\": it is empty"},
		"a space around":               {allowing("'a '"), "space"},
		"everybody":                    {allowing("'*'"), "has a *"},
		"every namespace":              {allowing("'system:serviceaccount:*:*'"), "has a *"},
		"half a namespace":             {allowing("'system:serviceaccount:a*:b'"), "has a *"},
		"half a name":                  {allowing("'system:serviceaccount:a:b*'"), "has a *"},
		"an account without a name":    {allowing("'system:serviceaccount:a'"), "is not of the form"},
		"an account with an empty one": {allowing("'system:serviceaccount:a:'"), "is not of the form"},
		"an account of no namespace":   {allowing("'system:serviceaccount::b'"), "is not of the form"},
		"an account of four parts":     {allowing("'system:serviceaccount:a:b:c'"), "is not of the form"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := config.Load(file(t, header+"authentication: "+tc.value+"\n"))
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Load = %+v, %v; want an error that says %s", loaded.Authentication, err, tc.says)
			}
		})
	}
}
