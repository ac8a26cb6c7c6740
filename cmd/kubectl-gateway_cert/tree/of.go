package tree

import (
	"cmp"
	"fmt"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Of makes the trees of the Gateways.
func Of(v *view.View, names []types.NamespacedName) Report {
	r := Report{Gateways: []Gateway{}, MissingRights: v.Gaps}
	for _, name := range names {
		r.Gateways = append(r.Gateways, gatewayOf(v, name))
	}
	return r
}

func gatewayOf(v *view.View, name types.NamespacedName) Gateway {
	of := Gateway{Namespace: name.Namespace, Name: name.Name}
	gateway, there := v.Gateway(name)
	switch {
	case v.Hidden[name]:
		of.Status = hidden
	case !there:
		of.Status = missing
	default:
		of.Class, of.Status = string(gateway.Spec.GatewayClassName), statusOf(gateway)
		of.grow(v, gateway)
		return of
	}
	for _, certificate := range v.CertificatesOf(name) {
		c := certificateOf(v, plan.NameOf(&certificate))
		if of.Status == missing {
			c.Reason, c.Message = string(plan.ReasonGatewayMissing), fmt.Sprintf("there is no Gateway %s", name)
		}
		of.Without = append(of.Without, c)
	}
	return of
}

func statusOf(gateway *gatewayv1.Gateway) string {
	switch {
	case plan.IsPaused(gateway):
		return paused
	case meta.IsStatusConditionTrue(gateway.Status.Conditions, string(gatewayv1.GatewayConditionProgrammed)):
		return programmed
	}
	return notProgrammed
}

func (of *Gateway) grow(v *view.View, gateway *gatewayv1.Gateway) {
	owners := v.Owners(gateway)
	have := map[types.NamespacedName]bool{}
	for i := range gateway.Spec.Listeners {
		listener := &gateway.Spec.Listeners[i]
		l := listenerOf(gateway, listener)
		if owner, ours := owners[listener.Name]; ours {
			l.Owner, l.Certificate = Handler, new(certificateOf(v, owner))
			have[owner] = true
		}
		l.Secrets = secretsOf(v, gateway, listener)
		of.Listeners = append(of.Listeners, l)
	}
	p := v.Plan(gateway)
	for _, certificate := range v.CertificatesOf(plan.NameOf(gateway)) {
		if name := plan.NameOf(&certificate); !have[name] {
			c := certificateOf(v, name)
			c.Reason, c.Message = whyWithout(p, name)
			of.Without = append(of.Without, c)
		}
	}
}

// whyWithout is the planner's first word on a Certificate.
func whyWithout(p plan.Plan, name types.NamespacedName) (reason, message string) {
	for _, f := range slices.Concat(p.Rejections, p.Notes) {
		if f.Certificate == name {
			return string(f.Reason), f.Message
		}
	}
	if p.Paused {
		return string(plan.ReasonPaused), "nothing is written to the Gateway"
	}
	if p.DryRun {
		return string(plan.ReasonDryRun), "nothing is written to the Gateway"
	}
	return "Pending", "the handler has not looked at it yet"
}

func listenerOf(gateway *gatewayv1.Gateway, listener *gatewayv1.Listener) Listener {
	l := Listener{Name: listener.Name, Protocol: listener.Protocol, Port: listener.Port, Owner: User}
	if listener.Hostname != nil {
		l.Hostname = *listener.Hostname
	}
	for _, status := range gateway.Status.Listeners {
		if status.Name == listener.Name {
			l.AttachedRoutes = status.AttachedRoutes
			for _, condition := range status.Conditions {
				l.Conditions = append(l.Conditions, condition.Type+"="+string(condition.Status))
			}
		}
	}
	return l
}

func certificateOf(v *view.View, name types.NamespacedName) Certificate {
	c := Certificate{Namespace: name.Namespace, Name: name.Name, Status: notReady}
	certificate, read := v.Certificate(name)
	switch {
	case !read && (v.From == nil || v.From[name.Namespace]):
		c.Status = gone
		return c
	case !read:
		c.Status = hidden
		return c
	}
	for _, condition := range certificate.Status.Conditions {
		switch {
		case condition.Type != certmanagerv1.CertificateConditionReady:
		case condition.Status == cmmeta.ConditionTrue:
			c.Status = ready
		default:
			c.Reason, c.Message = condition.Reason, condition.Message
		}
	}
	return c
}

func secretsOf(v *view.View, gateway *gatewayv1.Gateway, listener *gatewayv1.Listener) []Secret {
	if listener.TLS == nil {
		return nil
	}
	var secrets []Secret
	for _, ref := range listener.TLS.CertificateRefs {
		s := Secret{Namespace: gateway.Namespace, Name: string(ref.Name), State: Unknown}
		if ref.Namespace != nil {
			s.Namespace = cmp.Or(string(*ref.Namespace), s.Namespace)
		}
		s.judge(v)
		secrets = append(secrets, s)
	}
	return secrets
}

// judge asks the Certificate that names the Secret.
func (s *Secret) judge(v *view.View) {
	i := slices.IndexFunc(v.Certificates, func(c certmanagerv1.Certificate) bool {
		return c.Namespace == s.Namespace && c.Spec.SecretName == s.Name
	})
	if i < 0 {
		return
	}
	status := &v.Certificates[i].Status
	s.NotAfter = status.NotAfter
	switch {
	case certificateOf(v, plan.NameOf(&v.Certificates[i])).Status == ready:
		s.State = Issued
	case status.Revision != nil && *status.Revision > 0:
		s.State = IssuedBefore
	default:
		s.State = NotIssued
	}
}
