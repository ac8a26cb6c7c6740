package trust

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// access is what was asked of the API server, and the RBAC rule that it needs.
type access struct {
	source, rule, in string
}

// classify gives the API server's answer the type of what it means. Only its own
// word counts that something is not there or not allowed: a proxy on the way may
// say so of itself. All else is about time and load.
func classify(a access, err error) error {
	switch {
	case apierrors.IsUnexpectedServerError(err):
		return &TransientError{a.source, fmt.Errorf("read: %w", err)}
	case apierrors.IsNotFound(err):
		return &ConfigError{a.source, fmt.Errorf("there is no such ConfigMap; create it, or correct the name (%w)", err)}
	case apierrors.IsForbidden(err):
		return &ConfigError{a.source, fmt.Errorf(
			`the right to read it is missing; in namespace %s give the handler's ServiceAccount a Role with apiGroups [""], %s (%w)`, a.in, a.rule, err)}
	default:
		return &TransientError{a.source, fmt.Errorf("read: %w", err)}
	}
}
