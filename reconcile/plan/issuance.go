package plan

import (
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// issuance is what cert-manager says of a Certificate's Secret.
type issuance struct {
	first bool      // is under way, or has yet to begin: the Certificate has not been Ready
	ready time.Time // since when it is; zero if it is not
}

func issuancesOf(certificates []certmanagerv1.Certificate) map[types.NamespacedName]issuance {
	all := make(map[types.NamespacedName]issuance, len(certificates))
	for i := range certificates {
		all[NameOf(&certificates[i])] = issuance{first: !hasBeenReady(&certificates[i]), ready: readySince(&certificates[i])}
	}
	return all
}

func readySince(certificate *certmanagerv1.Certificate) time.Time {
	for _, condition := range certificate.Status.Conditions {
		if condition.Type == certmanagerv1.CertificateConditionReady && condition.Status == cmmeta.ConditionTrue && condition.LastTransitionTime != nil {
			return condition.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// missesSecret reports whether the controller may mean that there is no Secret. A
// ReferenceGrant that is missing is no matter of time.
func (w Word) missesSecret() bool {
	return w.Reason == ReasonListenerRefsNotResolved && w.Condition.Reason != string(gatewayv1.ListenerReasonRefNotPermitted)
}

// awaits reports whether the controller misses a Secret that has yet to be made: so
// it is with each new Certificate, and nobody has to act.
func (w Word) awaits(i issuance) bool { return w.missesSecret() && i.first }

// secretSeen is how long after a Certificate has become Ready a controller may take
// to see the Secret. It sees it when we see that, and does what else it has to do
// first; and some give what they said before a new time meanwhile.
const secretSeen = 10 * time.Second

// precedes reports whether the controller missed the Secret before the Certificate
// was Ready, or so soon afterwards that it most likely has not looked yet.
func (w Word) precedes(i issuance) bool {
	return w.missesSecret() && !i.ready.IsZero() && !w.Condition.LastTransitionTime.After(i.ready.Add(secretSeen))
}
