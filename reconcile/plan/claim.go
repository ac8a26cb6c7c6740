package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// claim is one Certificate's wish for one listener.
type claim struct {
	certificate types.NamespacedName
	from        *certmanagerv1.Certificate // nil in one that [claimFor] made
	created     time.Time
	position    int // in dnsNames
	hostname    gatewayv1.Hostname
	port        gatewayv1.PortNumber // 0 if it cannot be read
	secretName  string
	routes      *gatewayv1.RouteNamespaces
	waits       bool // until the Certificate has been Ready, if it is a newcomer
	names       names
}

// claimFor is a claim as far as names go.
func claimFor(certificate types.NamespacedName, hostname gatewayv1.Hostname) claim {
	return claim{certificate: certificate, hostname: hostname, names: namesFor(certificate, hostname)}
}

func (c claim) wish() wish { return wish{c.certificate, c.hostname} }

// olderFirst orders claims by the age of their Certificate, then by its name,
// then as the Certificate lists its DNS names.
func olderFirst(a, b claim) int {
	return cmp.Or(
		a.created.Compare(b.created),
		strings.Compare(a.certificate.String(), b.certificate.String()),
		cmp.Compare(a.position, b.position),
	)
}

// asked is what the Certificates ask of the Gateway.
type asked struct {
	claims     []claim // oldest first
	rejections []Finding
	notes      []Finding
}

// askedOf leaves out what cannot be had whatever else is on the Gateway.
// Certificates that are being deleted, or whose Namespace is gone, ask for
// nothing.
func askedOf(in Input, t *terms, ledger Ledger) asked {
	var all asked
	for _, certificate := range inOrder(in.Certificates, ledger) {
		r := request{Certificate: certificate, gateway: in.Gateway, terms: t, defaultRoutes: in.Defaults.AllowedRoutes}
		var there bool
		if r.namespace, there = in.namespace(r.Namespace); !there || r.DeletionTimestamp != nil {
			continue
		}
		if owner, made := madeFrom(r.Certificate); made {
			all.notes = append(all.notes, r.finding(ReasonFromListener, "cert-manager made this Certificate from %s; no listener is made from it", owner))
			continue
		}
		if len(all.claims) >= maxClaims {
			all.rejections = append(all.rejections, r.finding(ReasonTooManyListeners, "older Certificates ask for more than %d listeners, and this one is not looked at", maxClaims))
			continue
		}
		claims, refused := r.claims()
		all.claims = append(all.claims, claims...)
		all.rejections = append(all.rejections, refused...)
	}
	slices.SortFunc(all.claims, olderFirst)
	return all
}

// maxClaims bounds how many wishes are weighed for the 64 places there are. It is
// what 64 Certificates that have a listener may ask for.
const maxClaims = maxListeners * MaxDNSNames

// inOrder returns the Certificates that the ledger names before all others, and
// the older before the younger.
func inOrder(certificates []certmanagerv1.Certificate, ledger Ledger) []*certmanagerv1.Certificate {
	named := map[types.NamespacedName]bool{}
	for _, entry := range ledger {
		named[entry.Certificate] = entry.Refused == "" || named[entry.Certificate]
	}
	rank := func(c *certmanagerv1.Certificate) int {
		if named[NameOf(c)] {
			return 0
		}
		return 1
	}
	ordered := make([]*certmanagerv1.Certificate, len(certificates))
	for i := range certificates {
		ordered[i] = &certificates[i]
	}
	slices.SortFunc(ordered, func(a, b *certmanagerv1.Certificate) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(NameOf(a).String(), NameOf(b).String()))
	})
	return ordered
}

// keepPorts gives claims whose port cannot be read that of their listener as it
// stands: a slip in an annotation must not take off what serves. Those that have
// none wait.
func keepPorts(all []claim, held *holdings) (ready, waiting []claim) {
	for _, c := range all {
		if _, h, ok := held.of(c); c.port == 0 && ok && h.listener != nil {
			c.port = h.listener.Port
		}
		if c.port == 0 {
			waiting = append(waiting, c)
		} else {
			ready = append(ready, c)
		}
	}
	return ready, waiting
}

// madeFrom tells the Certificates that cert-manager's own Gateway support has
// made. They carry the Gateway's labels, ours among them, and to make a listener
// from what came out of one would go round in a circle.
func madeFrom(certificate *certmanagerv1.Certificate) (owner string, made bool) {
	for _, ref := range certificate.OwnerReferences {
		group, _, _ := strings.Cut(ref.APIVersion, "/")
		isGateway := group == gatewayv1.GroupName && (ref.Kind == "Gateway" || ref.Kind == "ListenerSet") ||
			group == experimentalGroup && ref.Kind == "XListenerSet"
		if isGateway && ref.Controller != nil && *ref.Controller {
			return fmt.Sprintf("%s %s", ref.Kind, ref.Name), true
		}
	}
	return "", false
}

// experimentalGroup is where ListenerSet was before the Gateway API's v1.5.
const experimentalGroup = "gateway.networking.x-k8s.io"
