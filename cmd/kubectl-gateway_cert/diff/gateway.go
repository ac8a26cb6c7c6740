package diff

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func gatewayOf(v *view.View, name types.NamespacedName) Gateway {
	of := Gateway{Namespace: name.Namespace, Name: name.Name}
	gateway, there := v.Gateway(name)
	switch {
	case v.Hidden[name]:
		of.State = Hidden
		return of
	case !there:
		of.State = Missing
		of.Rejections = waiting(v, name)
		return of
	}
	p := v.Plan(gateway)
	of.State = stateOf(p)
	of.Rejections, of.Notes = p.Rejections, p.Notes
	if p.Paused {
		return of
	}
	of.DryRun = p.DryRun
	of.Impact, of.ImpactReason = p.Impact()
	of.Metadata = rewritten(gateway, p)
	c := comparison{v, gateway, p, map[gatewayv1.SectionName]bool{}}
	for _, change := range p.Changes {
		of.Changes = append(of.Changes, c.change(change))
	}
	owners := v.Owners(gateway)
	for i := range gateway.Spec.Listeners {
		if listener := &gateway.Spec.Listeners[i]; !c.changed[listener.Name] {
			of.Unchanged = append(of.Unchanged, listenerOf(listener, owners[listener.Name]))
		}
	}
	return of
}

func stateOf(p plan.Plan) State {
	switch {
	case p.Paused:
		return Paused
	case p.Unchanged():
		return InSync
	}
	return WouldChange
}

// waiting are the Certificates that name a Gateway which is not there.
func waiting(v *view.View, name types.NamespacedName) []plan.Finding {
	var findings []plan.Finding
	for _, certificate := range v.CertificatesOf(name) {
		findings = append(findings, plan.Finding{
			Reason: plan.ReasonGatewayMissing, Certificate: plan.NameOf(&certificate),
			Message: fmt.Sprintf("there is no Gateway %s; its creation will complete this Certificate's listeners", name),
		})
	}
	return findings
}

// rewritten are the keys of what of the Gateway's metadata is not as it should be.
func rewritten(gateway *gatewayv1.Gateway, p plan.Plan) []string {
	keys := map[string]bool{}
	for _, pair := range []struct{ have, want map[string]string }{{gateway.Annotations, p.Annotations}, {gateway.Labels, p.Labels}} {
		for key, value := range pair.want {
			if pair.have[key] != value {
				keys[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func listenerOf(listener *gatewayv1.Listener, owner types.NamespacedName) Listener {
	l := Listener{Name: listener.Name, Port: listener.Port, Protocol: string(listener.Protocol)}
	if listener.Hostname != nil {
		l.Hostname = *listener.Hostname
	}
	if owner != (types.NamespacedName{}) {
		l.Certificate = owner.String()
	}
	return l
}
