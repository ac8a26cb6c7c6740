package view

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Plan is what the handler would do to a Gateway that is there, as far as it can
// be told.
//
// Whoever's wishes are not known keeps what he has: the listeners of Certificates
// that could not be read, or whose Namespace could not be, are planned around
// like those of the Gateway's owner. Otherwise a missing right would look like a
// Certificate that is gone.
func (v *View) Plan(gateway *gatewayv1.Gateway) plan.Plan { return v.planFor(gateway, v.Judged) }

// PlanFor is [View.Plan] for the sake of one Certificate, which is judged even
// where its Namespace could not be read, and as if the Gateway were not paused.
func (v *View) PlanFor(gateway *gatewayv1.Gateway, certificate types.NamespacedName) plan.Plan {
	unpaused := *gateway
	unpaused.Annotations = maps.Clone(gateway.Annotations)
	delete(unpaused.Annotations, plan.PausedKey)
	return v.planFor(&unpaused, func(name types.NamespacedName) bool {
		_, read := v.Certificate(name)
		return v.Judged(name) || name == certificate && read
	})
}

// Judged reports whether enough is known of a Certificate to say what it may
// have. One that is known to be gone may have nothing.
func (v *View) Judged(certificate types.NamespacedName) bool {
	_, read := v.Certificate(certificate)
	return (read || v.From == nil || v.From[certificate.Namespace]) && !v.Closed[certificate.Namespace]
}

func (v *View) planFor(gateway *gatewayv1.Gateway, judged func(types.NamespacedName) bool) plan.Plan {
	in := plan.Input{
		Gateway: withoutEntries(gateway, judged), Namespaces: v.Namespaces,
		Grants: v.Grants, Defaults: v.Defaults,
	}
	for _, certificate := range v.CertificatesOf(plan.NameOf(gateway)) {
		if judged(plan.NameOf(&certificate)) {
			in.Certificates = append(in.Certificates, certificate)
		}
	}
	return plan.For(in)
}

// withoutEntries returns the Gateway with a ledger of the judged alone.
func withoutEntries(gateway *gatewayv1.Gateway, judged func(types.NamespacedName) bool) *gatewayv1.Gateway {
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	if err != nil {
		return gateway
	}
	before := len(ledger)
	maps.DeleteFunc(ledger, func(_ gatewayv1.SectionName, entry plan.Entry) bool { return !judged(entry.Certificate) })
	if len(ledger) == before {
		return gateway
	}
	cut := *gateway
	cut.Annotations = maps.Clone(gateway.Annotations)
	cut.Annotations[plan.LedgerKey] = ledger.String()
	return &cut
}

// Owners returns the Certificates that a Gateway's listeners came from, by the
// listeners' names. What is not in it is the Gateway owner's.
func (v *View) Owners(gateway *gatewayv1.Gateway) map[gatewayv1.SectionName]types.NamespacedName {
	owners := map[gatewayv1.SectionName]types.NamespacedName{}
	enter := func(ledger plan.Ledger, believed func(types.NamespacedName) bool) {
		for name, entry := range ledger {
			if entry.Refused == "" && believed(entry.Certificate) {
				owners[name] = entry.Certificate
			}
		}
	}
	all := func(types.NamespacedName) bool { return true }
	written, _ := plan.ParseLedger(gateway.Annotations[plan.LedgerKey]) // one that cannot be read names nothing, as for the handler
	p := v.Plan(gateway)
	if p.Paused {
		enter(written, all)
		return owners
	}
	enter(written, func(name types.NamespacedName) bool { return !v.Judged(name) })
	enter(p.Ledger, all)
	for _, change := range p.Changes {
		if change.Action == plan.Removed { // ours until then
			owners[change.Listener] = change.Certificate
		}
	}
	return owners
}
