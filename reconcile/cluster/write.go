package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// FieldManager is the name under which managedFields lists what we wrote, so
// that GitOps tools can be told to leave it alone.
const FieldManager = "gateway-cert-handler"

// Write brings the Gateway, which must be as it was read, to the plan in one
// request, and returns it as the API server then has it. Errors are
// [ErrOutdated], a [RefusedError], or the API server's.
func (c *Cluster) Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error) {
	patched, err := c.patch(ctx, gateway, p)
	if err != nil {
		return nil, err
	}
	c.gatewaysSeen.saw(patched.ResourceVersion)
	return patched, nil
}

// Try asks the API server whether it would have the plan, admission included,
// and writes nothing. Errors are those of [Cluster.Write].
func (c *Cluster) Try(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) error {
	_, err := c.patch(ctx, gateway, p, metav1.DryRunAll)
	return err
}

func (c *Cluster) patch(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan, dryRun ...string) (*gatewayv1.Gateway, error) {
	name := plan.NameOf(gateway)
	body, err := json.Marshal(patchOf(gateway, p))
	if err != nil {
		return nil, fmt.Errorf("encode the patch of Gateway %s: %w", name, err)
	}
	patched, err := answer[gatewayv1.Gateway](ctx, c.gateways.in(name.Namespace).
		patch(name.Name, types.JSONPatchType, body, metav1.PatchOptions{FieldManager: FieldManager, DryRun: dryRun}))
	if err != nil {
		return nil, fmt.Errorf("patch Gateway %s: %w", name, c.classify(ctx, gateway, p, err))
	}
	return patched, nil
}

func position(i int) string { return listenersPath + "/" + strconv.Itoa(i) }
