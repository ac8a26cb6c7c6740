package main

import (
	"context"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// everywhere reads what may bear on a hostname: of all namespaces or, where that
// is not allowed, of one, and the Gateways that its Certificates name.
func (l *look) everywhere(ctx context.Context, hostname gatewayv1.Hostname, namespace string) error {
	if err := l.readAllGateways(ctx, namespace); err != nil {
		return err
	}
	// Without a selector: the label may be what is missing.
	if err := l.readCertificates(ctx, "", namespace); err != nil {
		return err
	}
	l.Certificates = slices.DeleteFunc(l.Certificates, func(c certmanagerv1.Certificate) bool {
		return c.Labels[plan.GatewayNameKey] == "" && !names(&c, hostname)
	})
	for i := range l.Certificates {
		if err := l.readTarget(ctx, &l.Certificates[i], hostname); err != nil {
			return err
		}
	}
	if err := l.readNamespaces(ctx); err != nil {
		return err
	}
	return l.readGrants(ctx)
}

func names(certificate *certmanagerv1.Certificate, hostname gatewayv1.Hostname) bool {
	return slices.ContainsFunc(certificate.Spec.DNSNames, func(dnsName string) bool {
		name, err := plan.NormalizeHostname(dnsName)
		return err == nil && view.Serves(&name, hostname)
	})
}

func (l *look) readAllGateways(ctx context.Context, namespace string) error {
	all, err := l.gatewaysOf(ctx, types.NamespacedName{})
	if apierrors.IsForbidden(err) {
		l.gatewaysMissing = true
		l.Miss(view.Gap{
			Verb: "list", Resource: gatewayResource,
			Consequence: "of other namespaces than " + namespace + " only the Gateways that the Certificates name are looked at",
		})
		all, err = l.gatewaysOf(ctx, types.NamespacedName{Namespace: namespace})
		if apierrors.IsForbidden(err) {
			err = nil
		}
	}
	l.keep(all...)
	return err
}

// readTarget reads the Gateway of a Certificate that wants the hostname, as far as
// it has not been read, and what the handler tells of it.
func (l *look) readTarget(ctx context.Context, certificate *certmanagerv1.Certificate, hostname gatewayv1.Hostname) error {
	target, ok := plan.Target(certificate)
	if _, told := l.Told[target]; !ok || told || !names(certificate, hostname) {
		return nil
	}
	if l.Gateways[target] == nil && l.gatewaysMissing {
		if err := l.readGateway(ctx, target); err != nil {
			return err
		}
	}
	return l.readTold(ctx, target)
}
