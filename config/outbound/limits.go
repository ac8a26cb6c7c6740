package outbound

import "time"

const (
	// DefaultIdleAfter is how long after its last acquisition a client without
	// borrowers goes. Each export acquires, so that only versions go that were
	// rotated out, and clients of what has not happened for long.
	DefaultIdleAfter = 30 * time.Minute

	// DefaultSweepEvery is the pause between two looks for such clients.
	DefaultSweepEvery = time.Minute

	// MaxTimeout bounds [Profile.Timeout]. What takes minutes is no request of ours.
	MaxTimeout = 5 * time.Minute

	// firstRefusalPause comes after credentials were refused, and doubles up to
	// maxRefusalPause as long as they are. That is four tries before a quarter of an
	// hour is over; servers that lock accounts seldom do so before the fifth.
	firstRefusalPause = time.Minute
	maxRefusalPause   = 15 * time.Minute

	// firstPassingPause and maxPassingPause are for failures that pass by
	// themselves, which is what is waited for then.
	firstPassingPause = time.Second
	maxPassingPause   = 30 * time.Second

	// maxPauses bounds how many failures are remembered.
	maxPauses = 100

	// dialTimeout bounds one TCP connection, and handshakeTimeout its TLS
	// handshake: some round trips each, and one lost packet. Both go on when the
	// request that asked for the connection has ended, hence limits of their own.
	// Response headers have none: the profile's timeout is on the whole request.
	dialTimeout      = 5 * time.Second
	handshakeTimeout = 5 * time.Second

	// keepAlive is the pause between two TCP probes of a connection, and pingAfter
	// the silence after which HTTP/2 asks whether the other side is alive, which
	// has pingTimeout to answer. A pod may be frozen between requests, and its
	// connections may be gone when it wakes.
	keepAlive   = 30 * time.Second
	pingAfter   = 30 * time.Second
	pingTimeout = 15 * time.Second

	// idleConnTimeout is net/http's own default.
	idleConnTimeout = 90 * time.Second

	// maxIdleConns bounds the idle connections of one client, to all its hosts.
	maxIdleConns = 100

	// continueTimeout is net/http's own default.
	continueTimeout = time.Second

	// maxHeaderBytes bounds the header of a response; net/http allows 10 MiB.
	maxHeaderBytes = 64 << 10

	// maxAnswerBytes bounds, after decompression, what a token endpoint or an
	// issuer may answer: tokens and metadata are some kB, large tokens some tens.
	maxAnswerBytes = 256 << 10

	// maxDrainBytes is how much of an answer that nobody wants is read, so that
	// its connection can be used again. Closing it is cheaper beyond that.
	maxDrainBytes = 16 << 10

	// maxFileBytes bounds a file with a client certificate, its key or a secret: a
	// chain of some certificates is 10 kB.
	maxFileBytes = 64 << 10

	// maxHostBytes is the longest name that DNS knows, 253, with a port.
	maxHostBytes = 253 + len(":65535")

	// maxNameBytes bounds what a message repeats of names in a certificate.
	maxNameBytes = 256

	// earlyExpiry is how long before its end a token is no longer used, for
	// requests that are under way then and clocks that differ. It is x/oauth2's. A
	// token that lives for less than twice that is used for half its life.
	earlyExpiry = 10 * time.Second
)
