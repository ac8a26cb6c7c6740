package main

import (
	"cmp"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// The annotations of a Certificate that name its Gateway; the namespace is the
// Certificate's own where none is named.
const (
	gatewayName      = "gateway-cert-operator.io/gateway-name"
	gatewayNamespace = "gateway-cert-operator.io/gateway-namespace"
)

// prefix starts the names of the listeners that are the operator's.
const prefix = "auto-"

const port = 443

// targetOf returns the Gateway that a Certificate names; false if it names none.
func targetOf(certificate metav1.Object) (types.NamespacedName, bool) {
	annotations := certificate.GetAnnotations()
	target := types.NamespacedName{
		Namespace: cmp.Or(annotations[gatewayNamespace], certificate.GetNamespace()),
		Name:      annotations[gatewayName],
	}
	return target, target.Name != ""
}

// listenersOf returns a listener for each hostname of Certificates, by name.
func listenersOf(certificates []certmanagerv1.Certificate) []gatewayv1.Listener {
	var listeners []gatewayv1.Listener
	for i := range certificates {
		certificate := &certificates[i]
		if certificate.DeletionTimestamp != nil || certificate.Spec.SecretName == "" {
			continue
		}
		for _, hostname := range certificate.Spec.DNSNames {
			listeners = append(listeners, listener(certificate, hostname))
		}
	}
	slices.SortFunc(listeners, func(a, b gatewayv1.Listener) int { return cmp.Compare(a.Name, b.Name) })
	return listeners
}

func listener(certificate *certmanagerv1.Certificate, hostname string) gatewayv1.Listener {
	return gatewayv1.Listener{
		Name:     gatewayv1.SectionName(prefix + certificate.Name + "-" + plain(hostname)),
		Hostname: new(gatewayv1.Hostname(hostname)),
		Port:     port,
		Protocol: gatewayv1.HTTPSProtocolType,
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode: new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{{
				Name: gatewayv1.ObjectName(certificate.Spec.SecretName), Namespace: new(gatewayv1.Namespace(certificate.Namespace)),
			}},
		},
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}},
	}
}

// plain spells a hostname in characters that a listener's name may have.
func plain(hostname string) string {
	return strings.NewReplacer("*", "wildcard", ".", "-").Replace(strings.ToLower(hostname))
}

// merge puts the operator's listeners behind those of others.
func merge(existing, own []gatewayv1.Listener) []gatewayv1.Listener {
	others := slices.DeleteFunc(slices.Clone(existing), func(l gatewayv1.Listener) bool {
		return strings.HasPrefix(string(l.Name), prefix)
	})
	return append(others, own...)
}

// essence is what of a listener is compared. The rest is left to whoever changed it.
type essence struct {
	hostname gatewayv1.Hostname
	port     gatewayv1.PortNumber
	secret   types.NamespacedName
}

// equal tells whether two lists have the same listeners, in whatever order.
// namespace is the Gateway's.
func equal(a, b []gatewayv1.Listener, namespace string) bool {
	if len(a) != len(b) {
		return false
	}
	byName := map[gatewayv1.SectionName]essence{}
	for _, l := range a {
		byName[l.Name] = essenceOf(l, namespace)
	}
	return !slices.ContainsFunc(b, func(l gatewayv1.Listener) bool {
		other, there := byName[l.Name]
		return !there || other != essenceOf(l, namespace)
	})
}

func essenceOf(l gatewayv1.Listener, namespace string) essence {
	e := essence{port: l.Port}
	if l.Hostname != nil {
		e.hostname = *l.Hostname
	}
	if l.TLS != nil && len(l.TLS.CertificateRefs) > 0 {
		ref := l.TLS.CertificateRefs[0]
		e.secret = types.NamespacedName{Namespace: namespace, Name: string(ref.Name)}
		if ref.Namespace != nil {
			e.secret.Namespace = string(*ref.Namespace)
		}
	}
	return e
}
