package trust

import (
	"context"
	"fmt"
)

// Source is where a bundle comes from. An error is a [*ConfigError] or a
// [*TransientError], and says that the source cannot be used; it is never taken
// for an empty bundle.
type Source interface {
	Resolve(ctx context.Context) (Bundle, error)
}

// Sources are all that a client trusts besides the system.
type Sources []Source

// Resolve returns the union of all sources in canonical form. Empty means that
// only what the system trusts is trusted. If one source cannot be used, there is
// no union: a connection that needs just that one would fail and hide why.
func (s Sources) Resolve(ctx context.Context) ([]byte, error) {
	bundles := make([]Bundle, len(s))
	for i, source := range s {
		var err error
		if bundles[i], err = source.Resolve(ctx); err != nil {
			return nil, fmt.Errorf("resolve trusted authorities: %w", err)
		}
	}
	union, err := Union(bundles...)
	if err != nil {
		return nil, fmt.Errorf("resolve trusted authorities: %w", &ConfigError{Source: "all sources together", Err: err})
	}
	return union.PEM(), nil
}

// parse is [Parse] for a source of this name.
func parse(name string, text []byte) (Bundle, error) {
	bundle, err := Parse(text)
	if err != nil {
		return Bundle{}, &ConfigError{Source: name, Err: err}
	}
	return bundle, nil
}
