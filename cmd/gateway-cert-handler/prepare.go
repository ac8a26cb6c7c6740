package main

import (
	"context"
	"errors"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// prepareTimeout bounds how long new settings wait for what clients are made of,
// of which only a token comes from far away.
const prepareTimeout = 5 * time.Second

// destination is where a client sends to, and what it is made of under settings.
type destination struct {
	owner  outbound.Owner
	config func(settings config.HandlerConfig, trusted trust.Sources) (outbound.Config, error)
}

// prepare makes the clients that new settings ask for, beside those in use: the
// first request under them finds its client, and its token. An error says that
// somebody must change the settings, or what they point at. None is that a server is
// away or has no token for us, which may be otherwise in a minute, nor what is as
// wrong under the settings in force: then the new ones are not to blame, and may be
// about something else.
func (o *outgoing) prepare(ctx context.Context, settings config.HandlerConfig, trusted trust.Sources) error {
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	inForce := o.inForce()
	var faults []error
	told := map[string]bool{} // one file is of all signals
	for _, to := range o.destinations {
		err := o.prepareOne(ctx, to, settings, trusted)
		if err == nil || told[err.Error()] || o.prepareOne(ctx, to, inForce.Settings, inForce.Built.trusted) != nil {
			continue
		}
		told[err.Error()] = true
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// prepareOne returns only what somebody must mend.
func (o *outgoing) prepareOne(ctx context.Context, to destination, settings config.HandlerConfig, trusted trust.Sources) error {
	wanted, err := to.config(settings, trusted)
	if err != nil {
		return err
	}
	lease, err := o.factory.Acquire(ctx, to.owner, wanted)
	if err == nil {
		lease.Release()
		return nil
	}
	if fault, ok := errors.AsType[*outbound.ConfigError](err); ok {
		return fault
	}
	return nil
}
