package plan

import gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

// adopt takes over the listeners that claims would have been given.
func (h holdings) adopt(gateway *gatewayv1.Gateway, claims []claim) {
	authors := authorsOf(claims)
	for i := range gateway.Spec.Listeners {
		listener := &gateway.Spec.Listeners[i]
		if c, ok := authors.of(listener, gateway.Namespace); ok {
			h.stand(listener, c.certificate)
		}
	}
}

// authors finds the claim that can have written a listener.
type authors map[gatewayv1.Hostname][]claim

func authorsOf(claims []claim) authors {
	byHostname := authors{}
	for _, c := range claims {
		byHostname[c.hostname] = append(byHostname[c.hostname], c)
	}
	return byHostname
}

// of returns the claim that would have been given just this listener. Anything
// less than all of it could be a user's.
func (a authors) of(listener *gatewayv1.Listener, gatewayNamespace string) (claim, bool) {
	for _, c := range a[hostnameOf(listener)] {
		if listener.Name != c.candidate(0) && listener.Name != c.candidate(1) {
			continue
		}
		if c.port == 0 { // cannot be read now, and may have been anything before
			c.port = listener.Port
		}
		want := c.listener(listener.Name, gatewayNamespace)
		if len(differingFields(listener, &want)) == 0 {
			return c, true
		}
	}
	return claim{}, false
}
