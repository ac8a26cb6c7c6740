package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const withTrust = header + `trust:
  files: [/etc/trust/ca.crt]
  configMaps:
  - {name: our-authorities, key: ca.crt}
  knativeBundles: true
telemetry:
  oauth2:
    grant: Password
    issuer: https://login.example.com/realms/telemetry
    clientID: gateway-cert-handler
    clientSecretFile: /etc/oauth2/client-secret
    username: gateway-cert
    passwordFile: /etc/oauth2/password
    scopes: [traces, metrics]
    audience: collector
`

func TestSettingsSayWhoIsTrustedAndWhereTokensComeFrom(t *testing.T) {
	loaded, err := config.Load(file(t, withTrust))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Trust{
		Files:          []string{"/etc/trust/ca.crt"},
		ConfigMaps:     []config.ConfigMapKey{{Name: "our-authorities", Key: "ca.crt"}},
		KnativeBundles: true,
	}, loaded.Trust); diff != "" {
		t.Errorf("trust (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&config.OAuth2{
		Grant: config.Password, Issuer: "https://login.example.com/realms/telemetry",
		ClientID: "gateway-cert-handler", ClientSecretFile: "/etc/oauth2/client-secret",
		Username: "gateway-cert", PasswordFile: "/etc/oauth2/password",
		Scopes: []string{"traces", "metrics"}, Audience: "collector",
	}, loaded.Telemetry.OAuth2); diff != "" {
		t.Errorf("oauth2 (-want +got):\n%s", diff)
	}
}

func TestConfigMapsAreReadOnlyWhereTheSettingsNameSome(t *testing.T) {
	for text, want := range map[string]bool{
		"trust: {}\n":                                false,
		"trust: {files: [/etc/ca.crt]}\n":            false,
		"trust: {knativeBundles: true}\n":            true,
		"trust: {configMaps: [{name: a, key: b}]}\n": true,
	} {
		loaded, err := config.Load(file(t, header+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.Trust.ReadsConfigMaps(); got != want {
			t.Errorf("%s: ReadsConfigMaps = %t, want %t", text, got, want)
		}
	}
}

func TestTrustThatCannotBeObeyedIsAnErrorThatNamesTheKey(t *testing.T) {
	for text, says := range map[string]string{
		"files: [ca.crt]":                       `trust.files[0]: Invalid value: "ca.crt": want an absolute path`,
		"files: ['']":                           "trust.files[0]: Invalid value",
		"files: /etc/ca.crt":                    "trust.files",
		"configMaps: [{name: a}]":               "trust.configMaps[0].key: Required value",
		"configMaps: [{key: a}]":                "trust.configMaps[0].name: Required value",
		"configMaps: [{name: A_, key: a}]":      `trust.configMaps[0].name: Invalid value: "A_": cannot be the name of a ConfigMap`,
		"configMaps: [{name: a, key: a/b}]":     `trust.configMaps[0].key: Invalid value: "a/b": cannot be a key of a ConfigMap`,
		"configMaps: [{name: a, key: b, c: d}]": "trust.configMaps[0].c: unknown key",
		"knativeBundles: yes please":            "trust.knativeBundles",
		"insecureSkipVerify: true":              "trust.insecureSkipVerify: unknown key",
	} {
		refused(t, "trust:\n  "+text+"\n", says)
	}
}

func TestOAuth2ThatCannotBeObeyedIsAnErrorThatNamesTheKey(t *testing.T) {
	const rest = ", clientID: a, clientSecretFile: /s"
	for text, says := range map[string]string{
		"":                                   "telemetry.oauth2: Required value: it is left open",
		"{}":                                 "telemetry.oauth2: Required value: write one of issuer and tokenURL",
		"{issuer: 'https://a'}":              "telemetry.oauth2.clientID: Required value",
		"{issuer: 'https://a', clientID: a}": "telemetry.oauth2.clientSecretFile: Required value",
		"{issuer: 'https://a', tokenURL: 'https://b'" + rest + "}":                "telemetry.oauth2.tokenURL: Forbidden: write one of issuer and tokenURL",
		"{issuer: 'http://a'" + rest + "}":                                        "telemetry.oauth2.issuer: Invalid value: want an https URL",
		"{tokenURL: 'a'" + rest + "}":                                             "telemetry.oauth2.tokenURL: Invalid value: want an https URL",
		"{tokenURL: 'https://user:hidden@a'" + rest + "}":                         "telemetry.oauth2.tokenURL: Invalid value: want an https URL",
		"{tokenURL: 'https://a', grant: Implicit" + rest + "}":                    `telemetry.oauth2.grant: Unsupported value: "Implicit": supported values: "ClientCredentials", "Password"`,
		"{tokenURL: 'https://a', grant: Password" + rest + "}":                    "telemetry.oauth2.username: Required value: grant: Password wants it",
		"{tokenURL: 'https://a', username: u" + rest + "}":                        "telemetry.oauth2.username: Forbidden: it is for grant: Password",
		"{tokenURL: 'https://a', clientID: a, clientSecretFile: s}":               `telemetry.oauth2.clientSecretFile: Invalid value: "s": want an absolute path`,
		"{tokenURL: 'https://a', clientSecret: hidden" + rest + "}":               "telemetry.oauth2.clientSecret: unknown key",
		"{tokenURL: 'https://a', grant: Password, username: u, password: hidden}": "telemetry.oauth2.password: unknown key",
	} {
		refused(t, "telemetry: {oauth2: "+text+"}\n", says)
	}
}

func TestTLS12IsTakenOnlyWhereTheSettingsSaySo(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                      false,
		"telemetry: {}\n":                       false,
		"telemetry: {minTLSVersion: \"1.3\"}\n": false,
		"telemetry: {minTLSVersion: \"1.2\"}\n": true,
	} {
		loaded, err := config.Load(file(t, header+text))
		if err != nil {
			t.Fatal(err)
		}
		if got := loaded.Telemetry.TakesTLS12(); got != want {
			t.Errorf("%q: TLS 1.2 is taken: %t, want %t", text, got, want)
		}
	}
	refused(t, "telemetry: {minTLSVersion: \"1.1\"}\n", `telemetry.minTLSVersion: Unsupported value: "1.1": supported values: "1.2", "1.3"`)
	refused(t, "telemetry: {minTLSVersion: 1.2}\n", "telemetry.minTLSVersion")
}

func refused(t *testing.T, text, says string) {
	t.Helper()
	_, err := config.Load(file(t, header+text))
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("%s: Load = %v, want an error that says %s and nothing hidden", text, err, says)
	}
}
