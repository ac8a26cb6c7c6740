package reconcile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// gatewaySet holds Gateways, each once.
type gatewaySet map[types.NamespacedName]struct{}

func (s gatewaySet) add(name types.NamespacedName) { s[name] = struct{}{} }

func (s gatewaySet) sorted() []types.NamespacedName {
	return slices.SortedFunc(maps.Keys(s), func(a, b types.NamespacedName) int {
		return strings.Compare(a.String(), b.String())
	})
}

// lookUp returns the Gateways that a change may concern, by name.
func (r *Reconciler) lookUp(ctx context.Context, change Change) (_ []types.NamespacedName, err error) {
	ctx, span := r.tracer.Start(ctx, "find gateways", trace.WithAttributes(changeKind.String(string(change.Kind))))
	defer func() { end(span, err) }()

	found := gatewaySet{}
	switch change.Kind {
	case Gateway:
		if change.Operation != Delete { // nothing is left to do; one made anew is an add
			found.add(plan.NameOf(change.Object))
		}
	case Certificate:
		err = r.gatewaysOf(ctx, change, found)
	default:
		err = fmt.Errorf("no rule for a change of kind %q", change.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("find the Gateways of a change of %s: %w", change.Kind, err)
	}
	gateways := found.sorted()
	span.SetAttributes(gatewaysFound.Int(len(gateways)))
	return gateways, nil
}

// gatewaysOf adds the Gateway that the Certificate's labels name; after an
// update also each one whose ledger still names the Certificate. It may have
// been pointed elsewhere, and the event does not carry the old labels.
func (r *Reconciler) gatewaysOf(ctx context.Context, change Change, found gatewaySet) error {
	if target, ok := plan.Target(change.Object); ok {
		found.add(target)
	}
	if change.Operation != Update {
		return nil
	}
	reached := r.coverage.reachedWith(change, r.ordering(ctx))
	managed, err := r.cluster.ManagedGateways(ctx)
	if err != nil {
		return err
	}
	r.coverage.sawLedgers(managed, reached, r.ordering(ctx))
	for i := range managed {
		if ledgerNames(&managed[i], plan.NameOf(change.Object)) {
			found.add(plan.NameOf(&managed[i]))
		}
	}
	return nil
}

// ledgerNames reports whether the Gateway's ledger may name the Certificate. A
// ledger that cannot be read may: the run that follows writes it anew.
func ledgerNames(gateway *gatewayv1.Gateway, certificate types.NamespacedName) bool {
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	return err != nil || ledger.Names(certificate)
}
