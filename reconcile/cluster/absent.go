package cluster

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// absent tells an object that is not there from an answer that only looks so: a
// proxy's 404, or that of an API server that does not serve the resource.
func absent(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err)
}
