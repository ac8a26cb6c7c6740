package cluster

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// newest is the newest resourceVersion that the API server has given this
// process for one resource. A LIST that must be no older than it is answered
// from the watch cache at once; one without any version is a consistent read,
// which after a write to another resource waits up to 100 ms for that cache.
type newest struct {
	mu      sync.Mutex
	version string
}

// saw takes note of a version. One that cannot be compared is no harm: each
// version that was seen is a true lower bound, the newest is only the best.
func (n *newest) saw(version string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.version = Newer(n.version, version)
}

// forget is for when the API server has not got as far as what was seen: its
// history is another one now, as after a restore from a backup.
func (n *newest) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.version = ""
}

// bound returns the version to ask for: the caller's if it is newer, else the
// newest seen, else none.
//
// The caller's, which comes out of an event, is used for that one LIST and not
// kept: a wrong one must not spoil the LISTs after it.
func (n *newest) bound(callers string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return Newer(n.version, callers)
}

// Newer returns the newer of two versions of one resource: the other where one is
// empty, and a where they cannot be compared.
func Newer(a, b string) string {
	if a == "" {
		return b
	}
	if order, err := resourceversion.CompareResourceVersion(a, b); err != nil || order >= 0 {
		return a
	}
	return b
}

// older returns the older of two versions; empty if they cannot be compared.
func older(a, b string) string {
	order, err := resourceversion.CompareResourceVersion(a, b)
	switch {
	case err != nil:
		return ""
	case order <= 0:
		return a
	}
	return b
}
