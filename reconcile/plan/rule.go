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
	// Judge answers alike for candidates that are alike, and may be called by many
	// at once.
	Judge(Candidate) Ruling
}

// Ruling is what rules say of a candidate.
type Ruling struct {
	// Why a Certificate may not have the listener, in words that name the rule;
	// empty if it may.
	Why string
	// Cost is what it took to tell, in units of at most some microsecond.
	Cost uint64
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
func (in Input) byRules(all []claim, held *holdings) parted {
	if in.Defaults.Rules == nil {
		return parted{claims: all}
	}
	var p parted
	for i, why := range in.judged(all, held) {
		if why == "" {
			p.claims = append(p.claims, all[i])
		} else {
			p.refusals = append(p.refusals, *all[i].finding(ReasonRuleNotMet, "%s", why))
		}
	}
	return p
}

// judged returns for each claim why it may not be, or nothing. First come those
// that have a listener: whatever others ask for, there is time for them.
func (in Input) judged(all []claim, held *holdings) []string {
	whys := make([]string, len(all))
	gateway := ownersOnly(in.Gateway)
	judge := func(i int) uint64 {
		c := all[i]
		ruling := in.Defaults.Rules.Judge(Candidate{Hostname: c.hostname, Port: c.port, Certificate: c.from, Gateway: gateway})
		whys[i] = ruling.Why
		return ruling.Cost
	}
	var newcomers []int
	budget := judging{spent: map[string]uint64{}}
	standing := 0
	for i, c := range all {
		if _, _, ours := held.of(c); ours && standing < maxListeners {
			standing++
			judge(i)
			continue
		}
		newcomers = append(newcomers, i)
		budget.spent[c.certificate.Namespace] = 0
	}
	for _, i := range newcomers {
		if namespace := all[i].certificate.Namespace; budget.isSpent(namespace) {
			whys[i] = "there are too many new hostnames to ask the rules about each: what Certificates of namespace " + namespace + " ask for beyond this is not looked at until some go"
		} else {
			budget.spend(namespace, judge(i))
		}
	}
	return whys
}

// maxJudging bounds what one plan may spend on newcomers, of which tenants can
// bring thousands: the plan has to be done well within the 10 s of a run.
const maxJudging = 2_000_000

// judging is what the newcomers of each namespace have cost. Each may have an equal
// part, so that none can have others refused by what it asks for.
type judging struct {
	spent map[string]uint64
	total uint64
}

func (j *judging) isSpent(namespace string) bool {
	return j.spent[namespace] >= maxJudging/uint64(len(j.spent)) || j.total >= maxJudging
}

func (j *judging) spend(namespace string, cost uint64) {
	j.spent[namespace] += cost
	j.total += cost
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
