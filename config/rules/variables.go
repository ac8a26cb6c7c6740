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

func variables(c plan.Candidate) map[string]any {
	return map[string]any{
		"listener": listener{
			Hostname: string(c.Hostname), Port: int64(c.Port), Protocol: string(gatewayv1.HTTPSProtocolType),
		},
		"certificate": certificate{
			Namespace: c.Certificate.Namespace, Name: c.Certificate.Name,
			Labels: c.Certificate.Labels, Annotations: seen(c.Certificate.Annotations),
			DNSNames:  c.Certificate.Spec.DNSNames[:min(len(c.Certificate.Spec.DNSNames), plan.MaxDNSNames)],
			IssuerRef: issuerOf(c.Certificate),
		},
		"gateway": gateway{
			Namespace: c.Gateway.Namespace, Name: c.Gateway.Name,
			Labels: c.Gateway.Labels, Annotations: seen(c.Gateway.Annotations),
			ClassName: string(c.Gateway.Spec.GatewayClassName),
		},
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
