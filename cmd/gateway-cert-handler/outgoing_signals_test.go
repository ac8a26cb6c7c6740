package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
)

// backend takes whatever is sent to it, and gives tokens for that or refuses to.
type backend struct {
	*httptest.Server
	ca     string // a file
	grants atomic.Int32
}

func startBackend(t *testing.T, refuses bool) *backend {
	t.Helper()
	ca, path := authority(t)
	b := &backend{ca: path}
	b.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			return
		}
		b.grants.Add(1)
		if refuses {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"a","token_type":"Bearer","expires_in":3600}`)
	}))
	var err error
	if b.TLS, err = ca.Server(); err != nil {
		t.Fatal(err)
	}
	b.StartTLS()
	t.Cleanup(b.Close)
	return b
}

// settings are those of an account with a password at the backend.
func (b *backend) settings(t *testing.T) config.HandlerConfig {
	t.Helper()
	return config.HandlerConfig{
		Trust: config.Trust{Files: []string{b.ca}},
		Telemetry: config.Telemetry{OAuth2: &config.OAuth2{
			Grant: config.Password, TokenURL: b.URL + "/token", ClientID: "handler",
			Username: "handler", PasswordFile: written(t, "hidden"),
		}},
	}
}

// following returns what has the settings in force.
func following(t *testing.T, settings config.HandlerConfig) func() *snapshot {
	t.Helper()
	opened, err := live.Open(t.Context(), live.Options[parts]{
		Load: func() (config.HandlerConfig, error) { return settings, nil }, Build: build,
	})
	if err != nil {
		t.Fatal(err)
	}
	return opened.InForce
}

// export sends one request for each connection, and returns how many failed.
func export(t *testing.T, settings config.HandlerConfig, connections []telemetry.Connection) (failed int) {
	t.Helper()
	out := newOutgoing(t.Context(), following(t, settings), slog.New(slog.DiscardHandler))
	t.Cleanup(out.close)
	for _, c := range connections {
		client, err := out.forTelemetry(c)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Get(c.Endpoint)
		if err != nil {
			failed++
			continue
		}
		_ = response.Body.Close()
	}
	return failed
}

// signals are the connections of all three, as the general variables have them.
func signals(endpoint string) []telemetry.Connection {
	var all []telemetry.Connection
	for _, signal := range []string{"traces", "metrics", "logs"} {
		all = append(all, telemetry.Connection{Signal: signal, Endpoint: endpoint + "/v1/" + signal, Timeout: 10 * time.Second})
	}
	return all
}

func TestSignalsThatAreSentAlikeShareOneGrant(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func([]telemetry.Connection)
		want   int32
	}{
		{"all alike", func([]telemetry.Connection) {}, 1},
		{"one with another timeout", func(c []telemetry.Connection) { c[1].Timeout = time.Minute }, 2},
		{"two with another timeout", func(c []telemetry.Connection) { c[1].Timeout, c[2].Timeout = time.Minute, time.Minute }, 2},
		{"each with a timeout of its own", func(c []telemetry.Connection) { c[1].Timeout, c[2].Timeout = time.Minute, 2*time.Minute }, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := startBackend(t, false)
			connections := signals(b.URL)
			tc.mutate(connections)
			if failed := export(t, b.settings(t), connections); failed > 0 {
				t.Errorf("%d requests failed", failed)
			}
			if got := b.grants.Load(); got != tc.want {
				t.Errorf("%d grants, want %d", got, tc.want)
			}
		})
	}
}

func TestARefusedPasswordIsShownOnceForAllSignals(t *testing.T) {
	b := startBackend(t, true)
	connections := append(signals(b.URL), signals(b.URL)...)
	if failed := export(t, b.settings(t), connections); failed != len(connections) {
		t.Errorf("%d requests failed, want %d", failed, len(connections))
	}
	if got := b.grants.Load(); got != 1 {
		t.Errorf("the password was shown %d times, want once", got)
	}
}

const malformed = "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\njunk\n"

func TestABundleThatCannotBeReadDoesNotStopWhatGoesByPlainHTTP(t *testing.T) {
	c := startCollector(t, collector.Options{})
	o := observeWith(t, noSweep+"trust: {files: ["+written(t, malformed)+"]}\n", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()})
	o.stop()
	checkSpans(t, c)
	if found := o.losses(); len(found) > 0 {
		t.Errorf("the log tells of losses: %+v", found)
	}
}

func TestOneLineSaysWhichSettingsDoNotApplyToPlainHTTP(t *testing.T) {
	trusted := config.Trust{Files: []string{"/nonexistent"}}
	for _, tc := range []struct {
		name     string
		settings config.HandlerConfig
		mutate   func(*telemetry.Connection)
		want     string // empty: no line
	}{
		{"nothing set", config.HandlerConfig{}, func(*telemetry.Connection) {}, ""},
		{"authorities", config.HandlerConfig{Trust: trusted}, func(*telemetry.Connection) {}, "[trust]"},
		{"a version", config.HandlerConfig{Telemetry: config.Telemetry{MinTLSVersion: "1.2"}}, func(*telemetry.Connection) {}, "[telemetry.minTLSVersion]"},
		{"variables", config.HandlerConfig{}, func(c *telemetry.Connection) {
			c.CertificateFile, c.ClientCertificateFile, c.ClientKeyFile = "/a", "/b", "/c"
		},
			"[OTEL_EXPORTER_OTLP_CERTIFICATE OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE]"},
		{"authorities for https", config.HandlerConfig{Trust: trusted}, func(c *telemetry.Connection) { c.Endpoint = "https://collector.example/v1" }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log recording.Log
			out := newOutgoing(t.Context(), following(t, tc.settings), slog.New(slog.NewTextHandler(&log, nil)))
			defer out.close()
			for _, c := range signals("http://collector.example:4318/hidden") {
				tc.mutate(&c)
				if _, err := out.forTelemetry(c); err != nil {
					t.Fatal(err)
				}
			}
			lines := strings.Count(log.String(), "\n")
			if tc.want == "" && lines > 0 || tc.want != "" && (lines != 1 || !strings.Contains(log.String(), tc.want)) {
				t.Errorf("the log has %q, want one line with %q, or none", log.String(), tc.want)
			}
			if tc.want != "" && !strings.Contains(log.String(), "endpoint=http://collector.example:4318 ") {
				t.Errorf("the log has %q, want the endpoint without its path", log.String())
			}
		})
	}
}
