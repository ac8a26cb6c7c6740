package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// FieldManager is the name under which managedFields lists what we wrote, so
// that GitOps tools can be told to leave it alone.
const FieldManager = "gateway-cert-handler"

var (
	// ErrOutdated is returned by [Cluster.Write] when the Gateway is no longer
	// the one that the plan was made for: read it again and plan anew.
	ErrOutdated = errors.New("the Gateway has changed since it was read")

	// ErrRefused is returned by [Cluster.Write] when the API server will not
	// have the Gateway with that content, however often it is sent.
	ErrRefused = errors.New("the API server refuses the Gateway")
)

// Write brings the Gateway, which must be as it was read, to the plan in one
// request, and returns it as the API server then has it. Errors are
// [ErrOutdated], [ErrRefused], or the API server's.
func (c *Cluster) Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error) {
	body, err := json.Marshal(patchOf(gateway, p))
	if err != nil {
		return nil, fmt.Errorf("encode the patch of Gateway %s/%s: %w", gateway.Namespace, gateway.Name, err)
	}
	patched, err := c.gatewayClient.Gateways(gateway.Namespace).
		Patch(ctx, gateway.Name, types.JSONPatchType, body, metav1.PatchOptions{FieldManager: FieldManager})
	if err != nil {
		return nil, fmt.Errorf("patch Gateway %s/%s: %w", gateway.Namespace, gateway.Name, classify(err))
	}
	c.gatewaysSeen.saw(patched.ResourceVersion)
	return patched, nil
}

// classify tells a failed guard from a refused object. The API server answers
// both with 422 Invalid, but only for an object does it say which one it was.
func classify(err error) error {
	var status apierrors.APIStatus
	switch {
	case apierrors.IsConflict(err):
		return fmt.Errorf("%w: %w", ErrOutdated, err)
	case !apierrors.IsInvalid(err) || !errors.As(err, &status):
		return err
	}
	if details := status.Status().Details; details == nil || details.Name == "" && len(details.Causes) == 0 {
		return fmt.Errorf("%w: %w", ErrOutdated, err)
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

func position(i int) string { return listenersPath + "/" + strconv.Itoa(i) }
