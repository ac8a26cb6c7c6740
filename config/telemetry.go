package config

import (
	"errors"
	"fmt"
)

// Telemetry is what the OTEL_* variables have no word for.
type Telemetry struct {
	// OAuth2 is for a backend that wants a token; nil shows none.
	OAuth2 *OAuth2 `json:"oauth2,omitempty"`
	// MinTLSVersion is 1.3, the default, or 1.2 for a backend that knows no better.
	MinTLSVersion string `json:"minTLSVersion,omitempty"`
}

// TakesTLS12 reports whether a backend may speak TLS 1.2.
func (t Telemetry) TakesTLS12() bool { return t.MinTLSVersion == tls12 }

const (
	tls12 = "1.2"
	tls13 = "1.3"
)

func (t Telemetry) validate() error {
	var faults []error
	if err := t.OAuth2.validate(); err != nil {
		faults = append(faults, fmt.Errorf("oauth2: %w", err))
	}
	if v := t.MinTLSVersion; v != "" && v != tls12 && v != tls13 {
		faults = append(faults, fmt.Errorf("minTLSVersion is %q: write %q or %q", v, tls13, tls12))
	}
	return errors.Join(faults...)
}
