package explain

import (
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Report is the answer to one question.
type Report struct {
	// Question is the Certificate as "certificate/namespace/name", or the hostname.
	Question string `json:"question"`
	// Answer is the whole in one word.
	Answer Answer `json:"answer"`
	// Chains are those of the Certificate's names, or of who asks for the hostname.
	Chains []Chain `json:"chains"`
	// Listeners are those that take the hostname; empty for a Certificate.
	Listeners []Serving `json:"listeners,omitempty"`
	// MissingRights are why not all could be told.
	MissingRights []view.Gap `json:"missingRights,omitempty"`
}

// Answer says whether what was asked about is served.
type Answer string

// The answers.
const (
	// Served: each link holds, of each name of the Certificate or of one chain
	// for the hostname; or a listener of the Gateway's owner serves the hostname.
	Served Answer = "Served"
	// NotServed: a link is broken.
	NotServed Answer = "NotServed"
	// CannotTell: no link is known to be broken, and not all could be told.
	CannotTell Answer = "CannotTell"
)

// Certificate explains each DNS name of a Certificate that was read, up to as
// many as the handler looks at and one more.
func Certificate(v *view.View, certificate *certmanagerv1.Certificate) Report {
	r := Report{Question: "certificate/" + plan.NameOf(certificate).String(), Answer: Served, MissingRights: v.Gaps}
	for _, w := range wishesOf(v, certificate) {
		c := w.chain()
		r.Chains = append(r.Chains, c)
		switch {
		case c.FirstBroken != "":
			r.Answer = NotServed
		case !c.Holds() && r.Answer == Served:
			r.Answer = CannotTell
		}
	}
	return r
}

// Hostname explains who asks for a hostname, as it is or by a wildcard, and which
// listeners take it.
func Hostname(v *view.View, hostname gatewayv1.Hostname) Report {
	r := Report{Question: string(hostname), Chains: []Chain{}, MissingRights: v.Gaps}
	for i := range v.Certificates {
		if !mayAskFor(&v.Certificates[i], hostname) {
			continue
		}
		for _, w := range wishesOf(v, &v.Certificates[i]) {
			if asksFor(w.dnsName, hostname) {
				w.asked = hostname
				r.Chains = append(r.Chains, w.chain())
			}
		}
	}
	r.Chains = append(r.Chains, unasked(v, hostname, r.Chains)...)
	slices.SortStableFunc(r.Chains, closestFirst)
	r.Listeners = servings(v, hostname)
	r.Answer = r.answer()
	return r
}

// mayAskFor keeps from planning for Certificates that have nothing to do with it.
func mayAskFor(certificate *certmanagerv1.Certificate, hostname gatewayv1.Hostname) bool {
	return slices.ContainsFunc(namesOf(certificate), func(dnsName string) bool { return asksFor(dnsName, hostname) })
}

func asksFor(dnsName string, hostname gatewayv1.Hostname) bool {
	name, err := plan.NormalizeHostname(dnsName)
	return err == nil && view.Serves(&name, hostname)
}

// answer believes a chain only together with the listener that gets the requests.
func (r Report) answer() Answer {
	serves := func(c Chain) bool {
		return slices.ContainsFunc(r.Listeners, func(s Serving) bool {
			return s.State == Serves && s.Gateway == c.Gateway && s.Listener == c.Listener
		})
	}
	switch {
	case slices.ContainsFunc(r.Chains, func(c Chain) bool { return c.Holds() && serves(c) }),
		slices.ContainsFunc(r.Listeners, func(s Serving) bool { return s.State == Serves && s.Certificate == "" && s.Controller != Broken }):
		return Served
	case slices.ContainsFunc(r.Chains, func(c Chain) bool { return c.FirstBroken == "" && !c.Holds() }), len(r.Chains) == 0 && len(r.MissingRights) > 0:
		return CannotTell
	}
	return NotServed
}
