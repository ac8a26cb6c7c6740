package explain

import (
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// wish is one DNS name of one Certificate, and what bears on it.
type wish struct {
	view        *view.View
	name        types.NamespacedName
	certificate *certmanagerv1.Certificate
	dnsName     string             // as the Certificate spells it; empty where it has none
	asked       gatewayv1.Hostname // what the question was; empty where it was the Certificate

	target   types.NamespacedName
	targeted bool
	gateway  *gatewayv1.Gateway  // nil where there is none, or it is hidden
	plan     plan.Plan           // as if the Gateway were not paused
	listener *gatewayv1.Listener // as planned; nil if there is to be none
	// What the plan refuses: the name itself, the whole Certificate, and what of
	// the Gateway cannot be read.
	ofName, ofAll, ofGateway []plan.Finding
}

// wishesOf gathers what bears on a Certificate that was read: one wish for each of
// its DNS names.
func wishesOf(v *view.View, certificate *certmanagerv1.Certificate) []*wish {
	of := wish{view: v, name: plan.NameOf(certificate), certificate: certificate}
	of.target, of.targeted = plan.Target(certificate)
	if gateway, there := v.Gateway(of.target); of.targeted && there {
		of.gateway, of.plan = gateway, v.PlanFor(gateway, of.name)
	}
	var wishes []*wish
	for _, dnsName := range namesOf(certificate) {
		w := of
		w.dnsName = dnsName
		w.listener = w.planned()
		w.ofName, w.ofAll = view.About(w.plan.Rejections, w.name, dnsName)
		_, w.ofGateway = view.About(w.plan.Rejections, types.NamespacedName{}, dnsName)
		wishes = append(wishes, &w)
	}
	return wishes
}

// namesOf returns the DNS names, each spelling once; one empty name if there are
// none, so that there is a chain to say so.
func namesOf(certificate *certmanagerv1.Certificate) []string {
	var names []string
	for _, name := range certificate.Spec.DNSNames {
		if !slices.Contains(names, name) && len(names) <= plan.MaxDNSNames {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// planned returns the listener that the plan has for it.
func (w *wish) planned() *gatewayv1.Listener {
	hostname, err := plan.NormalizeHostname(w.dnsName)
	if err != nil {
		return nil
	}
	for i := range w.plan.Listeners {
		listener := &w.plan.Listeners[i]
		entry, ours := w.plan.Ledger[listener.Name]
		if ours && entry.Certificate == w.name && listener.Hostname != nil && *listener.Hostname == hostname {
			return listener
		}
	}
	return nil
}

// change is what the plan does to the listener; nil if it stands as it should.
func (w *wish) change() *plan.Change {
	i := slices.IndexFunc(w.plan.Changes, func(c plan.Change) bool { return c.Listener == w.listener.Name })
	if i < 0 {
		return nil
	}
	return &w.plan.Changes[i]
}

// refusals returns what the plan refuses on a step. What is said of the name
// itself goes before what is said of the whole Certificate or Gateway.
func (w *wish) refusals(step Step) (ofName, ofMore []plan.Finding) {
	here := func(findings []plan.Finding) (kept []plan.Finding) {
		for _, f := range findings {
			if stepOf(f) == step {
				kept = append(kept, f)
			}
		}
		return kept
	}
	return here(w.ofName), slices.Concat(here(w.ofAll), here(w.ofGateway))
}

// note returns what the plan notes of the wish or its Gateway for that reason.
func (w *wish) note(reason plan.Reason) (plan.Finding, bool) {
	for _, f := range slices.Concat(w.plan.Notes, w.view.Told[w.target]) {
		ofListener := f.Listener == "" || w.listener != nil && f.Listener == w.listener.Name
		if f.Reason == reason && ofListener && (f.Certificate == w.name || f.Certificate == types.NamespacedName{}) {
			return f, true
		}
	}
	return plan.Finding{}, false
}

// stepOf goes by the reason, but for one: an annotation that closes the Gateway to
// newcomers is told of each of them by name.
func stepOf(f plan.Finding) Step {
	if f.Reason == plan.ReasonMalformedAnnotation && f.Hostname != "" {
		return StepRoom
	}
	return remedies[string(f.Reason)].step
}

// right returns the missing right on a resource: on the object of that name, else
// on all.
func (w *wish) right(resource string, object types.NamespacedName) string {
	text := "a right is missing"
	for _, gap := range w.view.Gaps {
		switch {
		case gap.Resource != resource:
		case gap.Namespace == object.Namespace && gap.Name == object.Name:
			return "you may not " + gap.Right()
		case gap.Name == "":
			text = "you may not " + gap.Right()
		}
	}
	return text
}
