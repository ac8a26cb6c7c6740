package config

import "fmt"

// Telemetry is what the OTEL_* variables have no word for.
type Telemetry struct {
	// OAuth2 is for a backend that wants a token; nil shows none.
	OAuth2 *OAuth2 `json:"oauth2,omitempty"`
}

func (t Telemetry) validate() error {
	if err := t.OAuth2.validate(); err != nil {
		return fmt.Errorf("oauth2: %w", err)
	}
	return nil
}
