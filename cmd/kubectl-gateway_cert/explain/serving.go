package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Serving is a listener with TLS that takes a hostname.
type Serving struct {
	Gateway  string                `json:"gateway"`
	Listener gatewayv1.SectionName `json:"listener"`
	// Hostname is the listener's; empty where it takes all.
	Hostname gatewayv1.Hostname   `json:"hostname,omitempty"`
	Port     gatewayv1.PortNumber `json:"port"`
	// Certificate is the one that it came from; empty where the listener is the
	// Gateway owner's.
	Certificate string       `json:"certificate,omitempty"`
	State       ServingState `json:"state"`
	// Controller is what the Gateway's controller says of it, and Detail the words.
	Controller State  `json:"controller"`
	Detail     string `json:"detail,omitempty"`
}

// ServingState tells who gets the requests where several listeners take a hostname.
type ServingState string

// The states of a [Serving].
const (
	// Serves: it is the closest match on its port.
	Serves ServingState = "Serves"
	// Shadowed: another listener of that Gateway is a closer match on the port.
	Shadowed ServingState = "Shadowed"
)

// servings returns them by Gateway and port, the closest match first.
func servings(v *view.View, hostname gatewayv1.Hostname) []Serving {
	var all []Serving
	for _, name := range slices.SortedFunc(maps.Keys(v.Gateways), view.ByName) {
		gateway, there := v.Gateway(name)
		if !there || !takes(gateway, hostname) {
			continue
		}
		owners := v.Owners(gateway)
		var here []Serving
		for i := range gateway.Spec.Listeners {
			listener := &gateway.Spec.Listeners[i]
			if withTLS(listener) && view.Serves(listener.Hostname, hostname) {
				here = append(here, servingOf(gateway, listener, owners[listener.Name]))
			}
		}
		all = append(all, shadow(here)...)
	}
	return all
}

// takes keeps from planning for Gateways that have nothing to do with it.
func takes(gateway *gatewayv1.Gateway, hostname gatewayv1.Hostname) bool {
	return slices.ContainsFunc(gateway.Spec.Listeners, func(l gatewayv1.Listener) bool {
		return withTLS(&l) && view.Serves(l.Hostname, hostname)
	})
}

func withTLS(listener *gatewayv1.Listener) bool {
	return listener.Protocol == gatewayv1.HTTPSProtocolType || listener.Protocol == gatewayv1.TLSProtocolType
}

func servingOf(gateway *gatewayv1.Gateway, listener *gatewayv1.Listener, owner types.NamespacedName) Serving {
	said := controllers(gateway, listener.Name)
	s := Serving{
		Gateway: plan.NameOf(gateway).String(), Listener: listener.Name, Port: listener.Port,
		State: Serves, Controller: said.state, Detail: said.detail,
	}
	if listener.Hostname != nil {
		s.Hostname = *listener.Hostname
	}
	if owner != (types.NamespacedName{}) {
		s.Certificate = owner.String()
	}
	return s
}

// shadow follows the Gateway API: of the listeners of a port that take a hostname
// the most specific gets its requests.
func shadow(here []Serving) []Serving {
	slices.SortStableFunc(here, func(a, b Serving) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), -cmp.Compare(specificity(a.Hostname), specificity(b.Hostname)))
	})
	for i := range here {
		if i > 0 && here[i].Port == here[i-1].Port {
			here[i].State = Shadowed
		}
	}
	return here
}

// specificity is greater for the closer match: a name without wildcard, then the
// longer wildcard, then none.
func specificity(hostname gatewayv1.Hostname) int {
	if hostname != "" && !strings.HasPrefix(string(hostname), "*.") {
		return 1 << 10
	}
	return len(hostname)
}

func closestFirst(a, b Chain) int {
	of := func(c Chain) int { return specificity(gatewayv1.Hostname(c.Hostname)) }
	return cmp.Or(-cmp.Compare(of(a), of(b)), cmp.Compare(a.Certificate, b.Certificate), cmp.Compare(a.Gateway, b.Gateway))
}

// unasked returns a chain for each listener of ours that no Certificate asks for
// any more: it serves until it goes.
func unasked(v *view.View, hostname gatewayv1.Hostname, asked []Chain) []Chain {
	var chains []Chain
	for _, name := range slices.SortedFunc(maps.Keys(v.Gateways), view.ByName) {
		gateway, there := v.Gateway(name)
		if !there || !takes(gateway, hostname) {
			continue
		}
		owners := v.Owners(gateway)
		for i := range gateway.Spec.Listeners {
			listener := &gateway.Spec.Listeners[i]
			owner, ours := owners[listener.Name]
			isAsked := slices.ContainsFunc(asked, func(c Chain) bool {
				return c.Certificate == owner.String() && c.Gateway == name.String() && listener.Hostname != nil && sameHostname(c.Hostname, *listener.Hostname)
			})
			if ours && !isAsked && v.Judged(owner) && view.Serves(listener.Hostname, hostname) {
				chains = append(chains, unaskedChain(v.Plan(gateway), listener, owner, name))
			}
		}
	}
	return chains
}

func sameHostname(dnsName string, hostname gatewayv1.Hostname) bool {
	normalized, err := plan.NormalizeHostname(dnsName)
	return err == nil && normalized == hostname
}

func unaskedChain(p plan.Plan, listener *gatewayv1.Listener, owner, gateway types.NamespacedName) Chain {
	w := &wish{name: owner, target: gateway}
	c := Chain{Certificate: owner.String(), Gateway: gateway.String(), Listener: listener.Name, FirstBroken: StepCertificate}
	if listener.Hostname != nil {
		c.Hostname = string(*listener.Hostname)
	}
	f := found{Broken, reasonNotAsked, fmt.Sprintf("listener %s came from Certificate %s, which is gone or does not ask for it any more", listener.Name, owner)}
	for _, rejected := range p.Rejections {
		if rejected.Reason == plan.ReasonLastListenerKept && rejected.Listener == listener.Name {
			f.reason, f.detail = string(rejected.Reason), rejected.Message
		}
	}
	for _, s := range steps {
		c.Links = append(c.Links, Link{Step: s.step, State: NotReached})
	}
	c.Links[0] = Link{Step: StepCertificate, State: f.state, Reason: f.reason, Detail: f.detail, Remedy: w.wayOut(f.reason)}
	return c
}
