package live

import (
	"context"
	"sync/atomic"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

// Options for [Open].
type Options[T any] struct {
	// Load reads the settings as they are now. An error refuses them.
	Load func() (config.HandlerConfig, error)
	// Build makes what depends on them, and touches nothing that is in force. An
	// error refuses them too. It may wait for others until ctx ends.
	Build func(context.Context, config.HandlerConfig) (T, error)
	// Report is told of each change, one at a time, after it took effect. It may be
	// nil.
	Report func(context.Context, Change[T])
}

// Snapshot is one version of the settings, and what was built from it. It never
// changes.
type Snapshot[T any] struct {
	// Generation counts the versions that were in force, from 1 at the start.
	Generation int64
	Settings   config.HandlerConfig
	Built      T
}

// Change is what became of a version.
type Change[T any] struct {
	// Before was in force until then, and Now is. They are the same where the
	// version was refused.
	Before, Now *Snapshot[T]
	// Err is why the version was refused.
	Err error
}

// Settings are those in force. They are safe for concurrent use.
type Settings[T any] struct {
	options Options[T]
	inForce atomic.Pointer[Snapshot[T]]
	// refused is what was said of the last version, if it was refused. Only one
	// goroutine looks at it, see [Settings.Follow].
	refused string
}

// Open loads the first version. If that is refused there is nothing to go on with,
// and Open returns why.
func Open[T any](ctx context.Context, options Options[T]) (*Settings[T], error) {
	settings, err := options.Load()
	if err != nil {
		return nil, err
	}
	built, err := options.Build(ctx, settings)
	if err != nil {
		return nil, err
	}
	s := &Settings[T]{options: options}
	s.inForce.Store(&Snapshot[T]{Generation: 1, Settings: settings, Built: built})
	return s, nil
}

// InForce returns the version that is in force. What belongs together should be
// read from one snapshot: the next call may return another.
func (s *Settings[T]) InForce() *Snapshot[T] { return s.inForce.Load() }

// reload takes the newest version. One that says what is in force already is
// none, unless the last one was refused: then it is told of, as what ends that.
func (s *Settings[T]) reload(ctx context.Context) {
	before := s.InForce()
	next, err := s.next(ctx, before)
	if err != nil {
		s.refuse(ctx, before, err)
		return
	}
	wasRefused := s.refused != ""
	s.refused = ""
	s.inForce.Store(next)
	if next != before || wasRefused {
		s.report(ctx, Change[T]{Before: before, Now: next})
	}
}

func (s *Settings[T]) next(ctx context.Context, before *Snapshot[T]) (*Snapshot[T], error) {
	settings, err := s.options.Load()
	if err != nil {
		return nil, err
	}
	if settings.SameAs(before.Settings) {
		return before, nil
	}
	built, err := s.options.Build(ctx, settings)
	if err != nil {
		return nil, err
	}
	return &Snapshot[T]{Generation: before.Generation + 1, Settings: settings, Built: built}, nil
}

// refuse tells of a version once, however often it is looked at.
func (s *Settings[T]) refuse(ctx context.Context, inForce *Snapshot[T], err error) {
	if s.refused == err.Error() {
		return
	}
	s.refused = err.Error()
	s.report(ctx, Change[T]{Before: inForce, Now: inForce, Err: err})
}

func (s *Settings[T]) report(ctx context.Context, change Change[T]) {
	if s.options.Report != nil {
		s.options.Report(ctx, change)
	}
}
