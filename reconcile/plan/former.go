package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// former is a Certificate that lives, as the handler will see it once its labels
// are set.
type former struct {
	certmanagerv1.Certificate
	// gateway is the one that it will name then.
	gateway types.NamespacedName
	// annotated is the one that the gateway-cert-operator read in it; zero if none.
	annotated types.NamespacedName
	// unlabelled is nil where the labels say all already.
	unlabelled *Unlabelled
}

// formers leaves out what is going or gone; the rest comes by name.
func (in MigrateInput) formers() []former {
	var all []former
	for i := range in.Certificates {
		c := &in.Certificates[i]
		if _, there := (Input{Namespaces: in.Namespaces}).namespace(c.Namespace); there && c.DeletionTimestamp == nil {
			all = append(all, formerOf(c))
		}
	}
	slices.SortFunc(all, func(a, b former) int { return byNamespaceAndName(NameOf(&a), NameOf(&b)) })
	return all
}

func formerOf(c *certmanagerv1.Certificate) former {
	f := former{Certificate: *c}
	if name := c.Annotations[GatewayNameKey]; name != "" {
		f.annotated = types.NamespacedName{Namespace: cmp.Or(c.Annotations[GatewayNamespaceKey], c.Namespace), Name: name}
	}
	if f.annotated.Name != "" && c.Labels[GatewayNameKey] == "" {
		f.unlabelled = unlabelledOf(c)
		f.Labels = map[string]string{}
		maps.Copy(f.Labels, c.Labels)
		maps.Copy(f.Labels, f.unlabelled.Labels)
	}
	if target, ok := Target(&f); ok {
		f.gateway = target
	} else {
		f.gateway = f.annotated
	}
	return f
}

// unlabelledOf leaves a namespace label alone that somebody has set before.
func unlabelledOf(c *certmanagerv1.Certificate) *Unlabelled {
	u := &Unlabelled{Certificate: NameOf(c), ResourceVersion: c.ResourceVersion}
	name, namespace := c.Annotations[GatewayNameKey], c.Annotations[GatewayNamespaceKey]
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		u.Why = fmt.Sprintf("its annotation %s is %.64q, and no Gateway can be called that", GatewayNameKey, name)
		return u
	}
	if namespace != "" && len(validation.IsDNS1123Label(namespace)) > 0 {
		u.Why = fmt.Sprintf("its annotation %s is %.64q, and no namespace can be called that", GatewayNamespaceKey, namespace)
		return u
	}
	u.Labels = map[string]string{GatewayNameKey: GatewayNameLabel(name)}
	if namespace != "" && c.Labels[GatewayNamespaceKey] == "" {
		u.Labels[GatewayNamespaceKey] = namespace
	}
	return u
}

// asksFor reports whether either the gateway-cert-operator or the handler would
// have given the Certificate a listener of that name and hostname.
func (f former) asksFor(listener *gatewayv1.Listener) bool {
	c := claimFor(NameOf(&f), hostnameOf(listener))
	return c.mayBear(listener.Name) &&
		slices.ContainsFunc(f.Spec.DNSNames, func(dnsName string) bool { return spells(dnsName, c.hostname) })
}

// spells reports whether a DNS name is the hostname, as it stands, which is how
// the gateway-cert-operator took it, or as we spell it.
func spells(dnsName string, hostname gatewayv1.Hostname) bool {
	normalized, err := NormalizeHostname(dnsName)
	return dnsName == string(hostname) || err == nil && normalized == hostname
}
