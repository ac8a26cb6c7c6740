package plan

import (
	"k8s.io/apimachinery/pkg/api/equality"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// authors finds the claim that can have written a listener.
type authors map[gatewayv1.Hostname][]claim

func authorsOf(claims []claim) authors {
	byHostname := authors{}
	for _, c := range claims {
		byHostname[c.hostname] = append(byHostname[c.hostname], c)
	}
	return byHostname
}

// of returns the claim whose name, hostname and certificateRef the listener
// bears, and which therefore is what this program would have written.
func (a authors) of(listener *gatewayv1.Listener, gatewayNamespace string) (claim, bool) {
	for _, c := range a[hostnameOf(listener)] {
		if listener.Name != c.candidate(0) && listener.Name != c.candidate(1) {
			continue
		}
		want := c.listener(listener.Name, gatewayNamespace)
		if equality.Semantic.DeepEqual(tlsOf(listener).CertificateRefs, tlsOf(&want).CertificateRefs) {
			return c, true
		}
	}
	return claim{}, false
}
