package plan

import (
	"cmp"
	"fmt"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// request is one Certificate before a Gateway.
type request struct {
	*certmanagerv1.Certificate
	namespace     metav1.ObjectMeta
	gateway       *gatewayv1.Gateway
	terms         *terms
	defaultRoutes string
}

// refusals are asked in this order. The first to return a finding gives the
// reason for which the Certificate gets no listener at all.
var refusals = []func(request) *Finding{
	request.namespaceNotAllowed,
	request.invalidSecretName,
	request.noDNSNames,
}

func (r request) namespaceNotAllowed() *Finding {
	if r.terms.attaches(r.namespace) {
		return nil
	}
	return new(r.finding(ReasonNamespaceNotAllowed,
		"Gateway %s/%s takes no Certificates from namespace %s; its owner can allow them with the annotation %s",
		r.gateway.Namespace, r.gateway.Name, r.Namespace, CertificateNamespacesKey))
}

func (r request) invalidSecretName() *Finding {
	if len(validation.IsDNS1123Subdomain(r.Spec.SecretName)) == 0 {
		return nil
	}
	return new(r.finding(ReasonInvalidSecretName, "spec.secretName %q is not a Secret's name", r.Spec.SecretName))
}

func (r request) noDNSNames() *Finding {
	if len(r.Spec.DNSNames) > 0 {
		return nil
	}
	return new(r.finding(ReasonNoDNSNames, "the Certificate has no spec.dnsNames, and browsers want a subject alternative name: they ignore the commonName"))
}

// claims returns one for each usable, distinct DNS name.
func (r request) claims() (claims []claim, refused []Finding) {
	for _, refusal := range refusals {
		if f := refusal(r); f != nil {
			return nil, []Finding{*f}
		}
	}
	base := claim{
		certificate: NameOf(r), from: r.Certificate, created: r.CreationTimestamp.Time, secretName: r.Spec.SecretName,
		waits: r.terms.whenReady && !hasBeenReady(r.Certificate),
	}
	var err error
	if base.port, err = r.port(); err != nil {
		refused = append(refused, r.finding(ReasonInvalidPort, "%v; listeners that stand keep their port, new ones wait", err))
	}
	if base.routes, err = r.allowedRoutes(); err != nil {
		refused = append(refused, r.malformed(AllowedRoutesKey, r.Annotations[AllowedRoutesKey], err))
	}
	hostnames, refusedNames := r.hostnames()
	refused = append(refused, refusedNames...)
	for _, hostname := range hostnames {
		c := base
		c.hostname, c.position = hostname, len(claims)
		c.names = namesFor(c.certificate, hostname)
		claims = append(claims, c)
	}
	return claims, refused
}

// MaxDNSNames bounds how many DNS names of one Certificate are looked at. Public
// issuers take up to 100; a Gateway carries 64 listeners.
const MaxDNSNames = 256

// hostnames returns the DNS names that may be served, each once, in their order.
func (r request) hostnames() (hostnames []gatewayv1.Hostname, refused []Finding) {
	tenant, err := r.tenantHostnames()
	if err != nil {
		refused = append(refused, r.malformed("(of Namespace "+r.Namespace+") "+AllowedHostnamesKey, r.namespace.Annotations[AllowedHostnamesKey], err))
	}
	seen := map[gatewayv1.Hostname]bool{}
	for i, dnsName := range r.Spec.DNSNames {
		if i == MaxDNSNames {
			refused = append(refused, r.finding(ReasonTooManyListeners, "only the first %d of its DNS names are looked at", MaxDNSNames))
			break
		}
		hostname, err := NormalizeHostname(dnsName)
		switch {
		case err != nil:
			refused = append(refused, r.about(dnsName, ReasonInvalidHostname, "DNS name %.256q cannot be a listener's hostname: %v", dnsName, err))
		case seen[hostname]:
		case !allCover(r.terms.hostnames, hostname):
			refused = append(refused, r.about(dnsName, ReasonHostnameNotAllowed,
				"hostname %s is outside what Gateway %s/%s takes; its owner can allow it with the annotation %s",
				hostname, r.gateway.Namespace, r.gateway.Name, AllowedHostnamesKey))
		case !tenant.cover(hostname):
			refused = append(refused, r.about(dnsName, ReasonHostnameNotAllowed,
				"hostname %s is outside what Namespace %s may claim, by its annotation %s", hostname, r.Namespace, AllowedHostnamesKey))
		default:
			hostnames = append(hostnames, hostname)
		}
		seen[hostname] = true
	}
	return hostnames, refused
}

func (r request) tenantHostnames() (hostnamePatterns, error) {
	text, ok := r.namespace.Annotations[AllowedHostnamesKey]
	if !ok {
		return nil, nil
	}
	return parseAllowedHostnames(text)
}

// port returns the Certificate's own word, else the Gateway's.
func (r request) port() (gatewayv1.PortNumber, error) {
	text := r.Annotations[ListenerPortKey]
	if text == "" {
		return r.terms.port, r.terms.portErr
	}
	port, err := parsePort(text)
	if err != nil {
		return 0, fmt.Errorf("the Certificate's annotation %s is %.64q: %w", ListenerPortKey, text, err)
	}
	return port, nil
}

// allowedRoutes returns the Gateway owner's word, else the Certificate's, else
// the default: a hostname serves every namespace's routes when the Gateway's own
// namespace brought it, else only those of the tenant that did.
func (r request) allowedRoutes() (*gatewayv1.RouteNamespaces, error) {
	if r.terms.routes != "" {
		return parseAllowedRoutes(r.terms.routes, r.Namespace)
	}
	otherwise := valueCertificateNamespace
	if r.Namespace == r.gateway.Namespace {
		otherwise = valueAll
	}
	routes, _ := parseAllowedRoutes(cmp.Or(r.defaultRoutes, otherwise), r.Namespace)
	slip := r.terms.routesSlip
	var err error
	if text, ok := r.Annotations[AllowedRoutesKey]; ok {
		var said *gatewayv1.RouteNamespaces
		if said, err = parseAllowedRoutes(text, r.Namespace); err == nil {
			routes = said
		}
		slip = slip || err != nil
	}
	// A slip allows no more than there would be without it, and never all.
	if slip && *routes.From == gatewayv1.NamespacesFromAll {
		routes = routesOf(r.Namespace)
	}
	return routes, err
}

// hasBeenReady tells a Certificate that is or once was Ready: cert-manager
// counts the issuances in status.revision, and keeps the count through failures.
func hasBeenReady(certificate *certmanagerv1.Certificate) bool {
	if certificate.Status.Revision != nil && *certificate.Status.Revision > 0 {
		return true
	}
	for _, condition := range certificate.Status.Conditions {
		if condition.Type == certmanagerv1.CertificateConditionReady {
			return condition.Status == cmmeta.ConditionTrue
		}
	}
	return false
}

func (r request) finding(reason Reason, format string, args ...any) Finding {
	return Finding{Reason: reason, Certificate: NameOf(r), Message: fmt.Sprintf(format, args...)}
}

func (r request) about(dnsName string, reason Reason, format string, args ...any) Finding {
	f := r.finding(reason, format, args...)
	f.Hostname = fmt.Sprintf("%.256s", dnsName) // cert-manager does not bound it
	return f
}

func (r request) malformed(key, text string, err error) Finding {
	f := malformed(key, text, err)
	f.Certificate = NameOf(r)
	return f
}
