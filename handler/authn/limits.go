package authn

import "time"

const (
	// maxRemembered bounds each of the two memories, of valid tokens and of those
	// that are not. A cluster has a handful of senders.
	maxRemembered = 1024

	// validFor is how long at most a valid token is taken without asking again:
	// so long a token still works whose ServiceAccount has been deleted.
	validFor = 10 * time.Minute

	// invalidFor is short, so that a token that was sent too early, before the
	// API server knew its ServiceAccount, works soon.
	invalidFor = 10 * time.Second

	// reviewTimeout bounds one question to the API server, which answers within
	// milliseconds. The sender waits meanwhile.
	reviewTimeout = 5 * time.Second
)
