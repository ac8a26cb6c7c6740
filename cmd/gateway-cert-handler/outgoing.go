package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

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
	factory *outbound.Factory
	inForce func() *snapshot
}

// newOutgoing returns what [outgoing.close] is to be called of. Clients outlive
// ctx: a stopping process has something left to send. They follow the settings
// that are in force.
func newOutgoing(ctx context.Context, inForce func() *snapshot) *outgoing {
	return &outgoing{factory: outbound.NewFactory(context.WithoutCancel(ctx), outbound.Options{}), inForce: inForce}
}

func (o *outgoing) close() { o.factory.Close() }

// forTelemetry returns the client for one signal.
func (o *outgoing) forTelemetry(c telemetry.Connection) (*http.Client, error) {
	settings := o.inForce()
	if u, err := url.Parse(c.Endpoint); settings.Settings.Telemetry.OAuth2 != nil && (err != nil || u.Scheme != "https") {
		return nil, fmt.Errorf("the settings have telemetry.oauth2, and the endpoint for %s is no https URL: a token is sent by https alone", c.Signal)
	}
	profile := outbound.Profile{
		Name:                  "telemetry " + c.Signal,
		Timeout:               min(c.Timeout, outbound.MaxTimeout), // the variables may ask for a day
		MinTLS12:              settings.Settings.Telemetry.TakesTLS12(),
		ClientCertificateFile: c.ClientCertificateFile,
		ClientKeyFile:         c.ClientKeyFile,
	}
	trusted := settings.Built.trusted
	if c.CertificateFile != "" {
		trusted = append(trust.Sources{trust.File(c.CertificateFile)}, trusted...)
	}
	return o.client(profile, outbound.Owner{Kind: "Signal", Name: c.Signal}, func(context.Context) (outbound.Config, error) {
		auth, err := authOf(settings.Settings.Telemetry.OAuth2)
		return outbound.Config{Profile: profile.Name, Endpoints: []string{c.Endpoint}, Auth: auth, Trust: trusted}, err
	})
}

// forSink returns the client for outcomes. authorities is what a SinkBinding says
// of the sink's, in PEM; it may be empty.
func (o *outgoing) forSink(sink *url.URL, authorities string) (*http.Client, error) {
	profile := outbound.Profile{Name: "outcomes", Timeout: sinkTimeout}
	trusted := append(trust.Sources{trust.PEM(sinkAuthorities, authorities)}, o.inForce().Built.trusted...)
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
