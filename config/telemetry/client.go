package telemetry

import (
	"cmp"
	"net/http"
	"strings"
	"time"
)

// Connection is what the variables say of the way to one signal's backend.
type Connection struct {
	// Signal is traces, metrics or logs.
	Signal string
	// Endpoint is an http or https URL.
	Endpoint string
	// CertificateFile has the authorities to trust, and the other two what is shown
	// to the backend. Each may be empty, the latter together.
	CertificateFile, ClientCertificateFile, ClientKeyFile string
	// Timeout is on one request, its connection included; above 0, at most
	// [MaxRequestTimeout].
	Timeout time.Duration
}

func (env environment) connection(s signal) Connection {
	_, endpoint := env.endpoint(s)
	c := Connection{Signal: string(s), Endpoint: endpoint, Timeout: env.patience(s).request}
	if isPlain(endpoint) {
		return c // files that are for all signals are for those with https
	}
	_, c.CertificateFile = env.otlp(s, "CERTIFICATE")
	certificate, key := env.clientCertificate(s)
	c.ClientCertificateFile, c.ClientKeyFile = env(certificate), env(key)
	return c
}

// client returns the HTTP client of a signal's exporter.
func (o Options) client(c Connection, tally *tally) (*http.Client, error) {
	client, err := o.Client(c)
	if err != nil {
		return nil, err
	}
	watched := *client
	watched.Transport = attempts{
		next:  unquoted{cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)},
		tally: tally,
	}
	return &watched, nil
}

// clientCertificate returns the variables of the signal's certificate and key.
func (env environment) clientCertificate(s signal) (certificate, key string) {
	certificate, value := env.otlp(s, "CLIENT_CERTIFICATE")
	key, ownKey := env.otlp(s, "CLIENT_KEY")
	if value != "" || ownKey == "" { // a pair is of one kind of variable
		key = strings.TrimSuffix(certificate, "CERTIFICATE") + "KEY"
	} else {
		certificate = strings.TrimSuffix(key, "KEY") + "CERTIFICATE"
	}
	return certificate, key
}
