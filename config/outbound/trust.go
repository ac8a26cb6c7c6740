package outbound

import "context"

// Trust gives the CA certificates that are trusted besides the system's.
type Trust interface {
	// Resolve returns CA certificates as canonical PEM, checked already, which
	// nobody changes afterwards; empty means the system's alone. It is called
	// before each acquisition that needs TLS, several times at once perhaps. An error that has a
	// method Temporary() bool becomes a [TransientError] if that is true and a
	// [ConfigError] if not; without the method only an ended context is transient.
	// Its text is passed on, and must hold nothing secret.
	Resolve(ctx context.Context) ([]byte, error)
}

// SystemRoots trusts the system's CA certificates alone.
type SystemRoots struct{}

// Resolve returns nothing.
func (SystemRoots) Resolve(context.Context) ([]byte, error) { return nil, nil }

// errNoTrust is for who forgot to set one, which is no leave to do without: he
// would be given less than the user asked for.
var errNoTrust = configErrorf("no trust is set: use SystemRoots for the system's CA certificates alone")

func resolve(ctx context.Context, trust Trust) ([]byte, error) {
	roots, err := trust.Resolve(ctx)
	if err != nil {
		return nil, foreignError("resolve trusted CA certificates", err)
	}
	return roots, nil
}
