package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// write patches the Gateway and returns it as it then is; nil if nothing is left
// to write. What the API server will not have is left out, and
// the rest written, until it takes the whole: first what it blames by name, then
// what dry runs find. Each time round leaves out more, so this ends.
func (r *Reconciler) write(ctx context.Context, in plan.Input, o *Outcome) (*gatewayv1.Gateway, error) {
	in.Refused = map[gatewayv1.SectionName]string{}
	for {
		patched, err := r.patch(ctx, in.Gateway, o)
		var refused *cluster.RefusedError
		if !errors.As(err, &refused) {
			return patched, err
		}
		blamed := changedAmong(o.Plan, refused.Listeners)
		if len(blamed) == 0 {
			if blamed, err = r.search(ctx, in, o.Plan); err != nil {
				return nil, err
			}
		}
		if len(blamed) == 0 {
			// What is refused is the Gateway as it stands, or any write of ours.
			o.Notes = append(o.Notes, plan.Finding{Reason: plan.ReasonRefusedByServer, Message: "the API server takes no change of this Gateway: " + refused.Words()})
			return nil, fmt.Errorf("write Gateway %s: %w", o.Gateway, refused)
		}
		maps.Copy(in.Refused, blamed)
		o.Plan = r.plan(ctx, in)
		if o.Plan.Unchanged() {
			return nil, nil
		}
	}
}

// changedAmong keeps of what the API server blames what the plan changes. It may
// also blame what stands already, since a rule that is newer than it; to leave
// that as it stands is no way out.
func changedAmong(p plan.Plan, blamed map[gatewayv1.SectionName]string) map[gatewayv1.SectionName]string {
	changed := map[gatewayv1.SectionName]string{}
	for _, change := range p.Changes {
		if words, ok := blamed[change.Listener]; ok {
			changed[change.Listener] = words
		}
	}
	return changed
}
