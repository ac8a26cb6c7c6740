package plan

import (
	"maps"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	corev1 "k8s.io/api/core/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Rules are conditions on listeners that the people who run the cluster have
// made, beside those of the contract. The planner knows no more of them.
type Rules interface {
	// Judge returns why a Certificate may not have a listener, in words that name
	// the rule; empty if it may. It answers alike for candidates that are alike,
	// and may be called by many at once.
	Judge(Candidate) (why string)
}

// maxRuleAnnotation is up to how many bytes an annotation has that a rule can see.
// Whoever reads the cluster need not keep larger ones.
const maxRuleAnnotation = 1 << 10

// SeenByRules reports whether a rule can see the annotation: none that is long, nor
// kubectl's copy of the whole object.
func SeenByRules(key, value string) bool {
	return len(value) <= maxRuleAnnotation && key != corev1.LastAppliedConfigAnnotation
}

// Candidate is a listener that a Certificate asks for. Nothing of it is modified.
type Candidate struct {
	Hostname gatewayv1.Hostname
	Port     gatewayv1.PortNumber
	// Certificate that asks for it.
	Certificate *certmanagerv1.Certificate
	// Gateway as its owner has it, without the annotations and labels that we
	// write: a rule that looks at what comes of it would never settle.
	Gateway *gatewayv1.Gateway
}

// parted are claims with the refusals of those that are not among them.
type parted struct {
	claims   []claim
	refusals []Finding
}

// byRules leaves out what the rules do not allow. They are asked only when all
// else that a listener is made of is known.
func (in Input) byRules(all []claim) parted {
	if in.Defaults.Rules == nil {
		return parted{claims: all}
	}
	var p parted
	gateway := ownersOnly(in.Gateway)
	for _, c := range all {
		why := in.Defaults.Rules.Judge(Candidate{Hostname: c.hostname, Port: c.port, Certificate: c.from, Gateway: gateway})
		if why == "" {
			p.claims = append(p.claims, c)
			continue
		}
		p.refusals = append(p.refusals, *c.finding(ReasonRuleNotMet, "%s", why))
	}
	return p
}

// ownersOnly returns the Gateway without what writeMetadata writes.
func ownersOnly(gateway *gatewayv1.Gateway) *gatewayv1.Gateway {
	owners := *gateway
	owners.Annotations, owners.Labels = maps.Clone(gateway.Annotations), maps.Clone(gateway.Labels)
	delete(owners.Annotations, LedgerKey)
	delete(owners.Annotations, certmanagerv1.CertificateIgnoreTLSListeners)
	delete(owners.Labels, ManagedKey)
	return &owners
}
