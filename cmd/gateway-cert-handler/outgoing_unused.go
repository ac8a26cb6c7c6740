package main

import (
	"log/slog"
	"net/url"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
)

// unused tells of settings that do not apply, once for each way that telemetry
// goes. Nothing is wrong with them: an authority may be there for the sink alone.
type unused struct {
	logger *slog.Logger
	told   map[string]bool
}

func (n *unused) tell(endpoint *url.URL, settings []string) {
	// Neither the path nor what stands before the host, which may hold a key.
	where := endpoint.Scheme + "://" + endpoint.Host
	if len(settings) == 0 || n.told[where] {
		return
	}
	if n.told == nil {
		n.told = map[string]bool{}
	}
	n.told[where] = true
	n.logger.Info("settings for TLS do not apply to an http endpoint", "endpoint", where, "settings", settings)
}

// settingsForTLS returns the names of those that are set, the variables without a
// signal's name.
func settingsForTLS(settings config.HandlerConfig, c telemetry.Connection) []string {
	var names []string
	add := func(isSet bool, name string) {
		if isSet {
			names = append(names, name)
		}
	}
	add(len(settings.Trust.Files) > 0 || settings.Trust.ReadsConfigMaps(), "trust")
	add(settings.Telemetry.MinTLSVersion != "", "telemetry.minTLSVersion")
	add(c.CertificateFile != "", "OTEL_EXPORTER_OTLP_CERTIFICATE")
	add(c.ClientCertificateFile != "", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE")
	return names
}
