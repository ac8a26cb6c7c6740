package outbound

import (
	"context"
	"crypto/x509"
	"net/http"
	"time"
)

// Options for [NewFactory]. The zero value is good.
type Options struct {
	// Now is the clock; nil stands for that of the system.
	Now func() time.Time
	// SystemPool loads the system's CA certificates; nil stands for
	// [x509.SystemCertPool].
	SystemPool func() (*x509.CertPool, error)
	// IdleAfter is [DefaultIdleAfter] if it is 0.
	IdleAfter time.Duration
	// SweepEvery is [DefaultSweepEvery] if it is 0.
	SweepEvery time.Duration
	// Wrap may put something around each client's transport, to measure say; nil
	// leaves it as it is. It sees every exchange, those for tokens too, and with
	// them credentials and tokens.
	Wrap func(http.RoundTripper) http.RoundTripper
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.SystemPool == nil {
		o.SystemPool = x509.SystemCertPool
	}
	if o.IdleAfter <= 0 {
		o.IdleAfter = DefaultIdleAfter
	}
	if o.SweepEvery <= 0 {
		o.SweepEvery = DefaultSweepEvery
	}
	if o.Wrap == nil {
		o.Wrap = func(next http.RoundTripper) http.RoundTripper { return next }
	}
	return o
}

// Factory makes clients and lends them out. It is safe for concurrent use.
type Factory struct {
	unprintable
	// lifetime bounds all clients. It is kept, because they outlive the
	// acquisitions that they are made for.
	lifetime    context.Context
	options     Options
	profiles    *profiles
	fingerprint func(spec) fingerprint
	cache       *cache
	closed      <-chan struct{}
	stop        context.CancelFunc
}

// NewFactory returns a Factory whose clients live as long as lifetime at most:
// when that ends they can get no more tokens, and the factory closes. It runs
// one goroutine until then or until [Factory.Close].
func NewFactory(lifetime context.Context, options Options) *Factory {
	options = options.withDefaults()
	open, stop := context.WithCancel(lifetime)
	f := &Factory{
		lifetime:    lifetime,
		options:     options,
		profiles:    &profiles{},
		fingerprint: newFingerprinter(),
		cache:       newCache(options.Now, options.IdleAfter),
		closed:      open.Done(),
		stop:        stop,
	}
	go f.sweepUntilClosed()
	return f
}

// Register makes a profile known. To register one twice is no error, unless the
// two differ; then it is a [ConfigError].
func (f *Factory) Register(profile Profile) error { return f.profiles.register(profile) }

// Acquire returns a lease on the owner's client of this very Config. It reads
// the trusted CA certificates and the profile's files first; ctx bounds that, and
// the wait for the client where it has to be made. It is made under the factory's
// lifetime, by two requests at most, each of which has the profile's timeout:
// those who ask for it at the same time share the work, and whoever stops waiting
// does not break it for the others.
//
// A client that cannot be made is not kept, but its error is, and returned at once
// until a pause is over: after an answer that refuses, such as one to a wrong
// password, a minute, and twice as long each time up to 15; after all else, one
// second up to 30.
func (f *Factory) Acquire(ctx context.Context, owner Owner, config Config) (*Lease, error) {
	wanted, err := f.specify(ctx, owner, config)
	if err != nil {
		return nil, err
	}
	version, isNew, err := f.cache.borrow(key{owner, f.fingerprint(wanted)})
	if err != nil {
		return nil, err
	}
	if isNew {
		go f.construct(version, wanted)
	}
	lease := newLease(f.cache, version)
	if err := version.await(ctx); err != nil {
		lease.Release()
		return nil, err
	}
	return lease, nil
}

func (f *Factory) construct(v *version, s spec) {
	made, err := f.newClient(s)
	f.cache.complete(v, made, err)
}

// Close refuses further acquisitions and stops the sweeps. It waits for nobody:
// clients without borrowers close at once, the others when their last lease is
// released. Until then they get tokens as before.
func (f *Factory) Close() {
	f.cache.close() // first, or the sweeping goroutine might do it and not be done on return
	f.stop()
}
