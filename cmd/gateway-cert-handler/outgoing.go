package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// sinkTimeout is well above what the sender of outcomes gives a request.
const sinkTimeout = time.Minute

// outgoing makes the HTTP clients for what leaves the process, other than to the
// API server. Authorities, secrets and client certificates are read again for
// each request.
type outgoing struct {
	factory   *outbound.Factory
	telemetry config.Telemetry
	// trusted is what the settings add to the system's roots for all of them.
	trusted trust.Sources
	// profiles are the names of telemetry's profiles, by their values.
	profiles map[outbound.Profile]string
	unused   unused
}

// newOutgoing returns what [outgoing.close] is to be called of. Clients outlive
// ctx: a stopping process has something left to send.
func newOutgoing(ctx context.Context, settings config.HandlerConfig, logger *slog.Logger) (*outgoing, error) {
	trusted, err := trustedBy(settings.Trust)
	if err != nil {
		return nil, err
	}
	return &outgoing{
		factory:   outbound.NewFactory(context.WithoutCancel(ctx), outbound.Options{}),
		telemetry: settings.Telemetry,
		trusted:   trusted,
		profiles:  map[outbound.Profile]string{},
		unused:    unused{logger: logger},
	}, nil
}

func (o *outgoing) close() { o.factory.Close() }

// forTelemetry returns the client for one signal. Signals that are sent alike
// share one below it, and with it a token: whoever refuses that should be asked
// once, not three times. It is not for concurrent use.
func (o *outgoing) forTelemetry(c telemetry.Connection) (*http.Client, error) {
	u, err := url.Parse(c.Endpoint)
	if o.telemetry.OAuth2 != nil && (err != nil || u.Scheme != "https") {
		return nil, fmt.Errorf("the settings have telemetry.oauth2, and the endpoint for %s is no https URL: a token is sent by https alone", c.Signal)
	}
	if err == nil && u.Scheme == "http" {
		o.unused.tell(u, o.settingsForTLS(c))
	}
	profile := o.profileOf(c)
	trusted := o.trusted
	if c.CertificateFile != "" {
		trusted = append(trust.Sources{trust.File(c.CertificateFile)}, trusted...)
	}
	return o.client(profile, outbound.Owner{Kind: "Telemetry", Name: "otlp"}, func(context.Context) (outbound.Config, error) {
		auth, err := authOf(o.telemetry.OAuth2)
		return outbound.Config{Profile: profile.Name, Endpoints: []string{c.Endpoint}, Auth: auth, Trust: trusted}, err
	})
}

// profileOf gives equal profiles one name.
func (o *outgoing) profileOf(c telemetry.Connection) outbound.Profile {
	profile := outbound.Profile{
		Timeout:               min(c.Timeout, outbound.MaxTimeout), // the variables may ask for a day
		MinTLS12:              o.telemetry.TakesTLS12(),
		ClientCertificateFile: c.ClientCertificateFile,
		ClientKeyFile:         c.ClientKeyFile,
	}
	name, known := o.profiles[profile]
	if !known {
		name = "telemetry"
		if len(o.profiles) > 0 {
			name += " " + c.Signal
		}
		o.profiles[profile] = name
	}
	profile.Name = name
	return profile
}

// forSink returns the client for outcomes. authorities is what a SinkBinding says
// of the sink's, in PEM; it may be empty.
func (o *outgoing) forSink(sink *url.URL, authorities string) (*http.Client, error) {
	profile := outbound.Profile{Name: "outcomes", Timeout: sinkTimeout}
	trusted := append(trust.Sources{trust.PEM(sinkAuthorities, authorities)}, o.trusted...)
	return o.client(profile, outbound.Owner{Kind: "Sink", Name: "outcomes"}, func(context.Context) (outbound.Config, error) {
		return outbound.Config{Profile: profile.Name, Endpoints: []string{sink.String()}, Trust: trusted}, nil
	})
}

func (o *outgoing) client(profile outbound.Profile, owner outbound.Owner, config func(context.Context) (outbound.Config, error)) (*http.Client, error) {
	if err := o.factory.Register(profile); err != nil {
		return nil, err
	}
	return &http.Client{Transport: outbound.Transport(o.factory, owner, config)}, nil
}
