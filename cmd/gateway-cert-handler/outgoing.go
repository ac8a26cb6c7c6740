package main

import (
	"context"
	"fmt"
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
}

// newOutgoing returns what [outgoing.close] is to be called of. Clients outlive
// ctx: a stopping process has something left to send.
func newOutgoing(ctx context.Context, settings config.HandlerConfig) (*outgoing, error) {
	trusted, err := trustedBy(settings.Trust)
	if err != nil {
		return nil, err
	}
	return &outgoing{
		factory:   outbound.NewFactory(context.WithoutCancel(ctx), outbound.Options{}),
		telemetry: settings.Telemetry,
		trusted:   trusted,
	}, nil
}

func (o *outgoing) close() { o.factory.Close() }

// forTelemetry returns the client for one signal.
func (o *outgoing) forTelemetry(c telemetry.Connection) (*http.Client, error) {
	if u, err := url.Parse(c.Endpoint); o.telemetry.OAuth2 != nil && (err != nil || u.Scheme != "https") {
		return nil, fmt.Errorf("the settings have telemetry.oauth2, and the endpoint for %s is no https URL: a token is sent by https alone", c.Signal)
	}
	profile := outbound.Profile{
		Name:                  "telemetry " + c.Signal,
		Timeout:               c.Timeout,
		MinTLS12:              o.telemetry.TakesTLS12(),
		ClientCertificateFile: c.ClientCertificateFile,
		ClientKeyFile:         c.ClientKeyFile,
	}
	trusted := o.trusted
	if c.CertificateFile != "" {
		trusted = append(trust.Sources{trust.File(c.CertificateFile)}, trusted...)
	}
	return o.client(profile, outbound.Owner{Kind: "Signal", Name: c.Signal}, func(context.Context) (outbound.Config, error) {
		auth, err := authOf(o.telemetry.OAuth2)
		return outbound.Config{Profile: profile.Name, Endpoints: []string{c.Endpoint}, Auth: auth, Trust: trusted}, err
	})
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
