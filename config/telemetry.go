package config

import "k8s.io/apimachinery/pkg/util/validation/field"

// Telemetry is what the OTEL_* variables have no word for.
type Telemetry struct {
	// OAuth2 is for a backend that wants a token. Without it none is shown.
	OAuth2 *OAuth2 `json:"oauth2,omitempty"`
	// MinTLSVersion is 1.3, the default, or 1.2 for a backend that knows no better.
	MinTLSVersion string `json:"minTLSVersion,omitempty" jsonschema:"enum=1.2,enum=1.3"`
}

// TakesTLS12 reports whether a backend may speak TLS 1.2.
func (t Telemetry) TakesTLS12() bool { return t.MinTLSVersion == tls12 }

const (
	tls12 = "1.2"
	tls13 = "1.3"
)

func (t Telemetry) validate(at *field.Path) field.ErrorList {
	faults := t.OAuth2.validate(at.Child("oauth2"))
	if t.MinTLSVersion != "" {
		faults = append(faults, only(at.Child("minTLSVersion"), t.MinTLSVersion, tls12, tls13)...)
	}
	return faults
}
