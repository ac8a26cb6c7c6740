package main

import (
	"fmt"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// authOf reads the secrets that the settings point at. Nil settings are no
// authentication.
func authOf(settings *config.OAuth2) (outbound.Auth, error) {
	if settings == nil {
		return outbound.Auth{}, nil
	}
	auth := outbound.Auth{
		Mode:     outbound.ClientCredentials,
		TokenURL: settings.TokenURL, Issuer: settings.Issuer,
		ClientID: settings.ClientID,
		Scopes:   settings.Scopes, Audience: settings.Audience,
	}
	var err error
	if settings.ClientSecretFile != "" {
		if auth.ClientSecret, err = outbound.ReadSecret(settings.ClientSecretFile); err != nil {
			return outbound.Auth{}, fmt.Errorf("telemetry.oauth2.clientSecretFile: %w", err)
		}
	}
	if settings.Grant == config.Password {
		auth.Mode, auth.Username = outbound.Password, outbound.NewSecret(settings.Username)
		if auth.Password, err = outbound.ReadSecret(settings.PasswordFile); err != nil {
			return outbound.Auth{}, fmt.Errorf("telemetry.oauth2.passwordFile: %w", err)
		}
	}
	return auth, nil
}
