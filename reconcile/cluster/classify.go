package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// ErrOutdated is returned by [Cluster.Write] and [Cluster.Try] when the Gateway
// is no longer the one that the plan was made for: read it again and plan anew.
var ErrOutdated = errors.New("the Gateway has changed since it was read")

// meaning is what an answer other than success says about the patch.
type meaning int

const (
	failure  meaning = iota // nothing: the API server could not, or we may not
	outdated                // the Gateway has changed
	refusal                 // the Gateway would not be valid, or admission denies it
	unclear                 // outdated or refusal
)

// classify gives the API server's answer to the patch the type of what it means.
func (c *Cluster) classify(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan, err error) error {
	means := meaningOf(err)
	if means == unclear {
		changed, readErr := c.changedSince(ctx, gateway)
		switch {
		case readErr != nil:
			return fmt.Errorf("%w (it cannot be told why: %w)", err, readErr)
		case changed:
			means = outdated
		default:
			means = refusal
		}
	}
	switch means {
	case outdated:
		return fmt.Errorf("%w: %w", ErrOutdated, err)
	case refusal:
		return refused(err, p.Listeners)
	default:
		return err
	}
}

// changedSince reports whether the Gateway is another than the patch was made
// for. If it is not, no test of the patch can have failed.
func (c *Cluster) changedSince(ctx context.Context, gateway *gatewayv1.Gateway) (bool, error) {
	now, err := c.Gateway(ctx, plan.NameOf(gateway))
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, err
	}
	return now.UID != gateway.UID || now.ResourceVersion != gateway.ResourceVersion, nil
}

// meaningOf reads the form of an answer, not its words. Causes come from the
// API server's validation and its admission policies, whatever the code, and
// from webhooks that copy it. What has no details at all comes from a webhook.
// Details without causes are those of a request that did not get that far, as
// for want of rights.
func meaningOf(err error) meaning {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || apierrors.IsUnexpectedServerError(err) {
		return failure // no answer, or one from a proxy on the way
	}
	status := answer.Status()
	switch {
	case apierrors.IsConflict(err):
		return outdated
	case passing(status.Code):
		return failure
	case status.Details != nil && len(status.Details.Causes) > 0:
		return refusal
	case status.Code == http.StatusUnprocessableEntity && (status.Details == nil || status.Details.Name == ""):
		return unclear // a failed test of the patch, or a webhook
	case status.Code == http.StatusUnprocessableEntity:
		return refusal
	case status.Details == nil:
		return withoutDetails(status.Reason)
	default:
		return failure
	}
}

// passing tells codes that may be others the next time: all but 4xx, and of
// these the ones that are about time and load.
func passing(code int32) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	default:
		return code < 400 || code >= 500
	}
}

// withoutDetails tells a webhook's answers from the few of the API server's own
// that have no details either. Those have a reason always, a webhook's may have.
func withoutDetails(reason metav1.StatusReason) meaning {
	switch reason {
	case metav1.StatusReasonUnknown, metav1.StatusReasonBadRequest, metav1.StatusReasonForbidden, metav1.StatusReasonRequestEntityTooLarge:
		return refusal
	default:
		return failure
	}
}
