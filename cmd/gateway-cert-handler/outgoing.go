package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// sinkTimeout is well above what the sender of outcomes gives a request.
const sinkTimeout = time.Minute

// outgoing makes the HTTP clients for what leaves the process, other than to the
// API server. The settings in force, authorities, secrets and client certificates
// are read again for each request.
type outgoing struct {
	factory *outbound.Factory
	inForce func() *snapshot
	// destinations are where the clients send to.
	destinations []destination
	// profiles are the names of telemetry's profiles, by their values.
	profiles map[outbound.Profile]string
	// unencrypted are the signals that are not sent by https.
	unencrypted []string
	unused      unused
}

// newOutgoing returns what [outgoing.close] is to be called of. Clients outlive
// ctx: a stopping process has something left to send.
func newOutgoing(ctx context.Context, inForce func() *snapshot, logger *slog.Logger) *outgoing {
	return &outgoing{
		factory:  outbound.NewFactory(context.WithoutCancel(ctx), outbound.Options{}),
		inForce:  inForce,
		profiles: map[outbound.Profile]string{},
		unused:   unused{logger: logger},
	}
}

func (o *outgoing) close() { o.factory.Close() }

// forTelemetry returns the client for one signal. Signals that are sent alike
// share one below it, and with it a token: whoever refuses that should be asked
// once, not three times. It is not for concurrent use.
func (o *outgoing) forTelemetry(c telemetry.Connection) (*http.Client, error) {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "https" {
		o.unencrypted = append(o.unencrypted, c.Signal)
	}
	now := o.inForce().Settings
	if err := o.validate(now); err != nil {
		return nil, err
	}
	if err == nil && u.Scheme == "http" {
		o.unused.tell(u, settingsForTLS(now, c))
	}
	strict, lenient := o.profilesOf(c)
	owner := outbound.Owner{Kind: "Telemetry", Name: "otlp"}
	return o.client([]outbound.Profile{strict, lenient}, destination{owner, func(settings config.HandlerConfig, trusted trust.Sources) (outbound.Config, error) {
		profile := strict
		if settings.Telemetry.TakesTLS12() {
			profile = lenient
		}
		if c.CertificateFile != "" {
			trusted = append(trust.Sources{trust.File(c.CertificateFile)}, trusted...)
		}
		auth, err := authOf(settings.Telemetry.OAuth2)
		return outbound.Config{Profile: profile.Name, Endpoints: []string{c.Endpoint}, Auth: auth, Trust: trusted}, err
	}})
}

// validate refuses settings that do not go with where telemetry is sent.
func (o *outgoing) validate(settings config.HandlerConfig) error {
	if settings.Telemetry.OAuth2 != nil && len(o.unencrypted) > 0 {
		return fmt.Errorf("the settings have telemetry.oauth2, and the endpoint for %s is no https URL: a token is sent by https alone", strings.Join(o.unencrypted, ", "))
	}
	return nil
}

// profilesOf returns the profile for TLS 1.3 alone, and the one that takes 1.2 as
// well. Equal profiles have one name.
func (o *outgoing) profilesOf(c telemetry.Connection) (strict, lenient outbound.Profile) {
	strict = outbound.Profile{
		Timeout:               c.Timeout,
		ClientCertificateFile: c.ClientCertificateFile,
		ClientKeyFile:         c.ClientKeyFile,
	}
	name, known := o.profiles[strict]
	if !known {
		name = "telemetry"
		if len(o.profiles) > 0 {
			name += " " + c.Signal
		}
		o.profiles[strict] = name
	}
	lenient = strict
	strict.Name, lenient.Name, lenient.MinTLS12 = name, name+" with TLS 1.2", true
	return strict, lenient
}

// forSink returns the client for outcomes. authorities is what a SinkBinding says
// of the sink's, in PEM; it may be empty.
func (o *outgoing) forSink(sink *url.URL, authorities string) (*http.Client, error) {
	profile := outbound.Profile{Name: "outcomes", Timeout: sinkTimeout}
	owner := outbound.Owner{Kind: "Sink", Name: "outcomes"}
	return o.client([]outbound.Profile{profile}, destination{owner, func(_ config.HandlerConfig, trusted trust.Sources) (outbound.Config, error) {
		trusted = append(trust.Sources{trust.PEM(sinkAuthorities, authorities)}, trusted...)
		return outbound.Config{Profile: profile.Name, Endpoints: []string{sink.String()}, Trust: trusted}, nil
	}})
}

// client returns one that goes by the settings in force, for each request anew.
func (o *outgoing) client(profiles []outbound.Profile, to destination) (*http.Client, error) {
	for _, profile := range profiles {
		if err := o.factory.Register(profile); err != nil {
			return nil, err
		}
	}
	o.destinations = append(o.destinations, to)
	return &http.Client{Transport: outbound.Transport(o.factory, to.owner, func(context.Context) (outbound.Config, error) {
		now := o.inForce()
		return to.config(now.Settings, now.Built.trusted)
	})}, nil
}
