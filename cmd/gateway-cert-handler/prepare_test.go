package main

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
)

// running is a process that sends signals under the settings in force.
func running(t *testing.T, inForce config.HandlerConfig, connections []telemetry.Connection) (*process, []*http.Client) {
	t.Helper()
	var settings sequence
	settings.set(t, inForce)
	p := &process{out: newOutgoing(t.Context(), settings.now.Load, slog.New(slog.DiscardHandler))}
	t.Cleanup(p.out.close)
	var clients []*http.Client
	for _, c := range connections {
		client, err := p.out.forTelemetry(c)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	return p, clients
}

func TestNewSettingsAreRefusedForWhatTheirClientsCannotBeMadeOf(t *testing.T) {
	b := startBackend(t, false)
	for name, tc := range map[string]struct {
		mutate func(*config.HandlerConfig)
		want   string // empty: they are taken
	}{
		"nothing":                             {func(*config.HandlerConfig) {}, ""},
		"a secret that is not there":          {func(c *config.HandlerConfig) { c.Telemetry.OAuth2.PasswordFile = "/nonexistent/secret" }, "telemetry.oauth2.passwordFile: open /nonexistent/secret"},
		"an empty secret":                     {func(c *config.HandlerConfig) { c.Telemetry.OAuth2.PasswordFile = written(t, "\n") }, "is empty"},
		"a bundle that is not there":          {func(c *config.HandlerConfig) { c.Trust.Files = []string{"/nonexistent/ca.crt"} }, "/nonexistent/ca.crt"},
		"a bundle with junk":                  {func(c *config.HandlerConfig) { c.Trust.Files = []string{written(t, malformed)} }, "something stands outside the blocks"},
		"an authority that the backend lacks": {func(c *config.HandlerConfig) { c.Trust.Files = nil }, ""},
		"a token endpoint that is away":       {func(c *config.HandlerConfig) { c.Telemetry.OAuth2.TokenURL = "https://127.0.0.1:1/token" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := running(t, config.HandlerConfig{}, signals(b.URL))
			next := b.settings(t)
			tc.mutate(&next)
			_, err := p.build(t.Context(), next)
			if (tc.want == "") != (err == nil) || err != nil && strings.Count(err.Error(), tc.want) != 1 {
				t.Errorf("new settings are refused for %v, want %q once", err, tc.want)
			}
		})
	}
}

func TestNewSettingsAreNotRefusedForWhatIsWrongAlready(t *testing.T) {
	connections := signals("https://collector.example")
	for i := range connections {
		connections[i].ClientCertificateFile, connections[i].ClientKeyFile = "/nonexistent/tls.crt", "/nonexistent/tls.key"
	}
	p, _ := running(t, config.HandlerConfig{}, connections)
	next := config.HandlerConfig{Defaults: config.Defaults{ListenerPort: new(8443)}}
	if _, err := p.build(t.Context(), next); err != nil {
		t.Errorf("settings about something else are refused: %v", err)
	}
}

func TestTheFirstRequestUnderNewSettingsFindsItsToken(t *testing.T) {
	b := startBackend(t, false)
	p, _ := running(t, config.HandlerConfig{}, signals(b.URL))
	if _, err := p.build(t.Context(), b.settings(t)); err != nil {
		t.Fatal(err)
	}
	if got := b.grants.Load(); got != 1 {
		t.Errorf("%d grants before the settings are in force, want 1 for all signals", got)
	}
}
