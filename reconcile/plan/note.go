package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// missingGrants warns of references into namespaces that do not allow them. The
// grant is for the Secret's owner to make, so none is made here.
func missingGrants(in Input, m merged) []Finding {
	if in.Grants == nil {
		return nil
	}
	var notes []Finding
	said := map[types.NamespacedName]bool{}
	for i := range m.listeners {
		listener := &m.listeners[i]
		entry, ours := m.ledger[listener.Name]
		if !ours || entry.Certificate.Namespace == in.Gateway.Namespace || said[entry.Certificate] {
			continue
		}
		secret := secretOf(listener, in.Gateway.Namespace)
		if granted(in.Grants, in.Gateway.Namespace, secret) {
			continue
		}
		said[entry.Certificate] = true
		notes = append(notes, Finding{
			Reason: ReasonMissingReferenceGrant, Certificate: entry.Certificate,
			Message: fmt.Sprintf("namespace %s has no ReferenceGrant from kind Gateway of namespace %s to Secret %s; without it the Gateway's controller will not use the Secret",
				secret.Namespace, in.Gateway.Namespace, secret.Name),
		})
	}
	return notes
}

// granted follows the Gateway API's rules for ReferenceGrant: it stands in the
// referent's namespace, and a "to" without a name means all names.
func granted(grants []gatewayv1.ReferenceGrant, gatewayNamespace string, secret types.NamespacedName) bool {
	from := gatewayv1.ReferenceGrantFrom{Group: gatewayv1.GroupName, Kind: "Gateway", Namespace: gatewayv1.Namespace(gatewayNamespace)}
	return slices.ContainsFunc(grants, func(grant gatewayv1.ReferenceGrant) bool {
		return grant.Namespace == secret.Namespace && slices.Contains(grant.Spec.From, from) &&
			slices.ContainsFunc(grant.Spec.To, func(to gatewayv1.ReferenceGrantTo) bool {
				return to.Group == corev1.GroupName && to.Kind == "Secret" && (to.Name == nil || string(*to.Name) == secret.Name)
			})
	})
}

// sharedSecrets notes, once for each Certificate, that clients may reuse one
// connection for all hostnames of one certificate (RFC 9113 section 9.1.1), so
// that requests for one may arrive at the listener of another.
func sharedSecrets(in Input, m merged) []Finding {
	listeners := map[types.NamespacedName]int{}
	for i := range m.listeners {
		if _, ours := m.ledger[m.listeners[i].Name]; ours {
			listeners[secretOf(&m.listeners[i], in.Gateway.Namespace)]++
		}
	}
	var notes []Finding
	said := map[types.NamespacedName]bool{}
	for i := range m.listeners {
		entry, ours := m.ledger[m.listeners[i].Name]
		secret := secretOf(&m.listeners[i], in.Gateway.Namespace)
		if !ours || listeners[secret] < 2 || said[entry.Certificate] {
			continue
		}
		said[entry.Certificate] = true
		notes = append(notes, Finding{
			Reason: ReasonSharedSecret, Certificate: entry.Certificate,
			Message: fmt.Sprintf("Secret %s is behind %d listeners: clients may reuse an HTTP/2 connection across their hostnames; one Certificate a hostname avoids it",
				secret.Name, listeners[secret]),
		})
	}
	return notes
}

// secretOf returns the Secret of a listener of ours.
func secretOf(listener *gatewayv1.Listener, gatewayNamespace string) types.NamespacedName {
	refs := tlsOf(listener).CertificateRefs
	if len(refs) == 0 {
		return types.NamespacedName{}
	}
	secret := types.NamespacedName{Namespace: gatewayNamespace, Name: string(refs[0].Name)}
	if refs[0].Namespace != nil {
		secret.Namespace = string(*refs[0].Namespace)
	}
	return secret
}
