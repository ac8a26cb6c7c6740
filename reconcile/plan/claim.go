package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// claim is one Certificate's wish for one listener.
type claim struct {
	certificate types.NamespacedName
	created     time.Time
	position    int // in dnsNames
	hostname    gatewayv1.Hostname
	port        gatewayv1.PortNumber // 0 if it cannot be read
	secretName  string
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

// claims returns what the Certificates ask of the Gateway, and what of it
// cannot be had whatever else is on the Gateway. Certificates that are being
// deleted ask for nothing.
func claims(gateway *gatewayv1.Gateway, certificates []certmanagerv1.Certificate) ([]claim, []Rejection) {
	var all []claim
	var rejections []Rejection
	consent, malformed := consentOf(gateway)
	rejections = append(rejections, malformed...)
	for i := range certificates {
		certificate := &certificates[i]
		if certificate.DeletionTimestamp != nil {
			continue
		}
		if r, refused := firstRefusal(gateway, certificate, consent); refused {
			rejections = append(rejections, r)
			continue
		}
		wanted, refused := claimsOf(gateway, certificate)
		all = append(all, wanted...)
		rejections = append(rejections, refused...)
	}
	slices.SortFunc(all, olderFirst)
	return all, rejections
}

// firstRefusal returns the first reason for which a Certificate can have no
// listener at all.
func firstRefusal(gateway *gatewayv1.Gateway, certificate *certmanagerv1.Certificate, allowed consent) (Rejection, bool) {
	refuse := func(reason Reason, format string, args ...any) (Rejection, bool) {
		return Rejection{Reason: reason, Certificate: NameOf(certificate), Message: fmt.Sprintf(format, args...)}, true
	}
	switch {
	case !allowed.namespace(certificate.Namespace):
		return refuse(ReasonNamespaceNotAllowed,
			"Gateway %s/%s takes no Certificates from namespace %s; its owner can allow them with the annotation %s",
			gateway.Namespace, gateway.Name, certificate.Namespace, CertificateNamespacesKey)
	case len(validation.IsDNS1123Subdomain(certificate.Spec.SecretName)) > 0:
		return refuse(ReasonInvalidSecretName, "spec.secretName %q is not a Secret's name", certificate.Spec.SecretName)
	case len(certificate.Spec.DNSNames) == 0:
		return refuse(ReasonNoDNSNames, "the Certificate has no spec.dnsNames; browsers ignore the commonName")
	}
	return Rejection{}, false
}

// claimsOf returns one claim for each usable, distinct DNS name.
func claimsOf(gateway *gatewayv1.Gateway, certificate *certmanagerv1.Certificate) ([]claim, []Rejection) {
	var wanted []claim
	var refused []Rejection
	port, err := portOf(gateway, certificate)
	if err != nil {
		refused = append(refused, Rejection{Reason: ReasonInvalidPort, Certificate: NameOf(certificate), Message: err.Error()})
	}
	seen := map[gatewayv1.Hostname]bool{}
	for position, dnsName := range certificate.Spec.DNSNames {
		hostname, err := NormalizeHostname(dnsName)
		if err != nil {
			refused = append(refused, Rejection{
				Reason: ReasonInvalidHostname, Certificate: NameOf(certificate), Hostname: dnsName,
				Message: fmt.Sprintf("DNS name %q cannot be a listener's hostname: %v", dnsName, err),
			})
			continue
		}
		if seen[hostname] {
			continue
		}
		seen[hostname] = true
		wanted = append(wanted, claim{
			certificate: NameOf(certificate),
			created:     certificate.CreationTimestamp.Time,
			position:    position,
			hostname:    hostname,
			port:        port,
			secretName:  certificate.Spec.SecretName,
		})
	}
	return wanted, refused
}

// keepPorts gives claims whose port cannot be read that of their listener as it
// stands, and drops those that have none: a slip in an annotation must not take
// off what serves.
func keepPorts(all []claim, held holdings) []claim {
	kept := all[:0:0]
	for _, c := range all {
		if name, ok := held.serving(c); c.port == 0 && ok {
			c.port = held.byName[name].listener.Port
		}
		if c.port != 0 {
			kept = append(kept, c)
		}
	}
	return kept
}

// portOf returns the port of a Certificate's listeners: its own word, else the
// Gateway's, else [DefaultPort].
func portOf(gateway *gatewayv1.Gateway, certificate *certmanagerv1.Certificate) (gatewayv1.PortNumber, error) {
	text, owner := certificate.Annotations[ListenerPortKey], "Certificate"
	if text == "" {
		text, owner = gateway.Annotations[ListenerPortKey], "Gateway"
	}
	if text == "" {
		return DefaultPort, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("the %s's annotation %s is %q, not a port from 1 to 65535; listeners that stand keep theirs, new ones wait", owner, ListenerPortKey, text)
	}
	return gatewayv1.PortNumber(port), nil
}
