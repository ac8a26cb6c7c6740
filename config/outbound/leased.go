package outbound

import (
	"context"
	"net/http"
)

// Transport returns a RoundTripper that acquires a lease for each request and
// releases it when the body of the response is closed. So whoever wants one
// [http.Client] for good, such as an OTLP exporter, sees new CA certificates and
// new credentials without a restart. config is asked before each request; its
// errors are sorted as those of a [Trust]. It is safe for concurrent use if
// config is.
func Transport(factory *Factory, owner Owner, config func(context.Context) (Config, error)) http.RoundTripper {
	return &leased{factory: factory, owner: owner, config: config}
}

type leased struct {
	unprintable
	factory *Factory
	owner   Owner
	config  func(context.Context) (Config, error)
}

func (l *leased) RoundTrip(r *http.Request) (*http.Response, error) {
	lease, err := l.acquire(r.Context())
	if err != nil {
		closeBody(r)
		return nil, err
	}
	response, err := lease.version.client.transport.RoundTrip(r)
	if err != nil {
		lease.Release()
		return nil, err
	}
	response.Body = &endingBody{response.Body, lease.Release}
	return response, nil
}

func (l *leased) acquire(ctx context.Context) (*Lease, error) {
	config, err := l.config(ctx)
	if err != nil {
		return nil, foreignError("read the settings of "+l.owner.Name, err)
	}
	return l.factory.Acquire(ctx, l.owner, config)
}
