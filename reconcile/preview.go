package reconcile

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Preview plans for a Gateway as a run would, and writes nothing. The error is
// apierrors.IsNotFound if there is no such Gateway.
func (r *Reconciler) Preview(ctx context.Context, gateway types.NamespacedName) (plan.Plan, error) {
	o := Outcome{Gateway: gateway, policy: r.policy()}
	in, err := r.read(ctx, &o, "")
	if err != nil {
		return plan.Plan{}, err
	}
	return r.decide(ctx, &in, &o)
}
