package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// errUnfinished means that part of a plan is written, and that the rest is to be
// planned anew.
var errUnfinished = errors.New("not all has been offered to the API server yet")

// write patches the Gateway and returns it as it then is; nil if nothing is left
// to write. What the API server will not have is left out: what it blames by
// name, else what dry runs find. What is accepted is written then and there, so
// that nobody waits for the judgement of another's many listeners.
func (r *Reconciler) write(ctx context.Context, in plan.Input, o *Outcome) (*gatewayv1.Gateway, error) {
	in.Refused = map[gatewayv1.SectionName]string{}
	for range maxRefusalRounds {
		patched, err := r.patch(ctx, in.Gateway, o)
		var refused *cluster.RefusedError
		if !errors.As(err, &refused) {
			return patched, err
		}
		found := verdicts{refused: changedAmong(o.Plan, refused.Listeners), accepted: allBut(o.Plan, refused.Listeners)}
		if len(found.refused) == 0 {
			if found, err = r.search(ctx, in, o.Plan); err != nil {
				return nil, err
			}
		}
		if found.none() && found.over {
			return nil, fmt.Errorf("write Gateway %s: there was no time to find what the API server minds: %v", o.Gateway, refused)
		}
		if found.none() {
			// What is refused is the Gateway as it stands, or any write of ours.
			o.Notes = append(o.Notes, plan.Finding{Reason: plan.ReasonRefusedByServer, Message: "the API server takes no change of this Gateway: " + refused.Words()})
			return nil, fmt.Errorf("write Gateway %s: %w", o.Gateway, refused)
		}
		maps.Copy(in.Refused, found.refused)
		in.Only = found.accepted
		if o.Plan, err = r.decide(ctx, &in, o); err != nil { // what is left may take off something else
			return nil, err
		}
		if o.Plan.Unchanged() {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("write Gateway %s: the API server refuses something else each time it is asked", o.Gateway)
}

// verdicts are what the API server says of a plan's changes. What is in neither
// is undecided.
type verdicts struct {
	refused  map[gatewayv1.SectionName]string // its words
	accepted map[gatewayv1.SectionName]bool
	over     bool // there was no time or leave to ask about all
}

func (v verdicts) none() bool { return len(v.refused) == 0 && len(v.accepted) == 0 }

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

func allBut(p plan.Plan, blamed map[gatewayv1.SectionName]string) map[gatewayv1.SectionName]bool {
	rest := map[gatewayv1.SectionName]bool{}
	for _, change := range p.Changes {
		if _, no := blamed[change.Listener]; !no {
			rest[change.Listener] = true
		}
	}
	return rest
}

// certificatesOf returns whose each change is.
func certificatesOf(p plan.Plan) map[gatewayv1.SectionName]types.NamespacedName {
	whose := map[gatewayv1.SectionName]types.NamespacedName{}
	for _, change := range p.Changes {
		whose[change.Listener] = change.Certificate
	}
	return whose
}
