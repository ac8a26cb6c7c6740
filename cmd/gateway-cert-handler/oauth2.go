package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// maxSecretBytes is far above any password.
const maxSecretBytes = 64 << 10

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
		if auth.ClientSecret, err = secretIn(settings.ClientSecretFile); err != nil {
			return outbound.Auth{}, fmt.Errorf("telemetry.oauth2.clientSecretFile: %w", err)
		}
	}
	if settings.Grant == config.Password {
		auth.Mode, auth.Username = outbound.Password, outbound.NewSecret(settings.Username)
		if auth.Password, err = secretIn(settings.PasswordFile); err != nil {
			return outbound.Auth{}, fmt.Errorf("telemetry.oauth2.passwordFile: %w", err)
		}
	}
	return auth, nil
}

// secretIn reads a file. The line end that editors put there is no part of it.
func secretIn(path string) (outbound.Secret, error) {
	file, err := os.Open(path)
	if err != nil {
		return outbound.Secret{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecretBytes+1))
	if err != nil {
		return outbound.Secret{}, err
	}
	if len(text) > maxSecretBytes {
		return outbound.Secret{}, fmt.Errorf("%s is larger than %d KiB", path, maxSecretBytes>>10)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return outbound.Secret{}, fmt.Errorf("%s is empty", path)
	}
	return outbound.NewSecret(secret), nil
}
