package rules

import (
	"cmp"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// The variables of an expression; docs/settings.md lists their fields.

type listener struct {
	Hostname string `cel:"hostname"` // as it stands on the Gateway
	Port     int64  `cel:"port"`
	Protocol string `cel:"protocol"`
}

type certificate struct {
	Namespace   string            `cel:"namespace"`
	Name        string            `cel:"name"`
	Labels      map[string]string `cel:"labels"`
	Annotations map[string]string `cel:"annotations"`
	DNSNames    []string          `cel:"dnsNames"` // as the Certificate spells them
	IssuerRef   issuerRef         `cel:"issuerRef"`
}

type issuerRef struct {
	Group string `cel:"group"`
	Kind  string `cel:"kind"`
	Name  string `cel:"name"`
}

type gateway struct {
	Namespace   string            `cel:"namespace"`
	Name        string            `cel:"name"`
	Labels      map[string]string `cel:"labels"`
	Annotations map[string]string `cel:"annotations"`
	ClassName   string            `cel:"className"`
}

// variables are made when an expression asks for them.
func variables(c plan.Candidate) map[string]any {
	return map[string]any{
		"listener": func() any {
			return listener{Hostname: string(c.Hostname), Port: int64(c.Port), Protocol: string(gatewayv1.HTTPSProtocolType)}
		},
		"certificate": func() any { return certificateOf(c.Certificate) },
		"gateway":     func() any { return gatewayOf(c.Gateway) },
	}
}

func certificateOf(c *certmanagerv1.Certificate) certificate {
	return certificate{
		Namespace: c.Namespace, Name: c.Name,
		Labels: c.Labels, Annotations: seen(c.Annotations),
		DNSNames:  c.Spec.DNSNames[:min(len(c.Spec.DNSNames), plan.MaxDNSNames)],
		IssuerRef: issuerOf(c),
	}
}

func gatewayOf(g *gatewayv1.Gateway) gateway {
	return gateway{
		Namespace: g.Namespace, Name: g.Name,
		Labels: g.Labels, Annotations: seen(g.Annotations),
		ClassName: string(g.Spec.GatewayClassName),
	}
}

// issuerOf fills in what cert-manager takes an absent kind and group for.
func issuerOf(c *certmanagerv1.Certificate) issuerRef {
	ref := c.Spec.IssuerRef
	return issuerRef{
		Group: cmp.Or(ref.Group, certmanagerv1.SchemeGroupVersion.Group),
		Kind:  cmp.Or(ref.Kind, certmanagerv1.IssuerKind),
		Name:  ref.Name,
	}
}

// seen leaves out the annotations that the handler does not keep.
func seen(annotations map[string]string) map[string]string {
	kept := make(map[string]string, len(annotations))
	for key, value := range annotations {
		if plan.SeenByRules(key, value) {
			kept[key] = value
		}
	}
	return kept
}
