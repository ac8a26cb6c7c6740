package telemetry

import (
	"crypto/x509"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// Else it would be at the first request, and in a line about what is lost, that
// somebody learns of a mistake.
func FuzzAnEndpointThatIsTakenIsOneForTheClient(f *testing.F) {
	for _, endpoint := range unusableValues["OTEL_EXPORTER_OTLP_ENDPOINT"] {
		f.Add(endpoint)
	}
	for _, endpoint := range []string{"http://c", "https://collector:4318/base", "HTTP://[::1]:65535/v1/logs", "http://[fe80::1%25eth0]:1", "http://c/%23"} {
		f.Add(endpoint)
	}
	factory := outbound.NewFactory(f.Context(), outbound.Options{
		SystemPool: func() (*x509.CertPool, error) { return x509.NewCertPool(), nil },
	})
	f.Cleanup(factory.Close)
	profile := outbound.Profile{Name: "telemetry", Timeout: time.Second}
	if err := factory.Register(profile); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, endpoint string) {
		if collectorURL(endpoint) != nil {
			return
		}
		lease, err := factory.Acquire(t.Context(), outbound.Owner{Kind: "Signal", Name: "traces"},
			outbound.Config{Profile: profile.Name, Endpoints: []string{endpoint}, Trust: outbound.SystemRoots{}})
		if err != nil {
			t.Fatalf("%q is taken, and the client says: %v", endpoint, err)
		}
		lease.Release()
	})
}
