package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Resources as RBAC spells them.
const (
	certificateResource    = "certificates.cert-manager.io"
	gatewayResource        = "gateways.gateway.networking.k8s.io"
	referenceGrantResource = "referencegrants.gateway.networking.k8s.io"
	namespaceResource      = "namespaces"
	eventResource          = "events.events.k8s.io"
)

// look reads a view with the rights of whoever runs the plugin. What may not be
// read is a gap in the view; what fails otherwise is an error.
type look struct {
	*server
	*view.View
	// gatewaysMissing is set where not those of all namespaces were read.
	gatewaysMissing bool
}

func (s *server) look(defaults plan.Defaults) *look {
	return &look{server: s, View: &view.View{
		Gateways:   map[types.NamespacedName]*gatewayv1.Gateway{},
		Hidden:     map[types.NamespacedName]bool{},
		Namespaces: map[string]metav1.ObjectMeta{},
		Closed:     map[string]bool{},
		Told:       map[types.NamespacedName][]plan.Finding{},
		Defaults:   defaults,
	}}
}

// around reads what bears on the Gateways of a scope: first the Gateways, as the
// handler does, then all Certificates that name one, their Namespaces, and the
// ReferenceGrants.
//
// Where Certificates of all namespaces may not be read, those of the namespaces
// that are named otherwise are.
func (l *look) around(ctx context.Context, scope types.NamespacedName, otherwise ...string) error {
	found, err := l.gatewaysOf(ctx, scope)
	if apierrors.IsForbidden(err) && scope.Name != "" {
		l.hide(scope)
	} else if err != nil {
		return err
	}
	l.keep(found...)
	selector := plan.GatewayNameKey
	if scope.Name != "" {
		selector += "=" + plan.GatewayNameLabel(scope.Name)
	}
	if err := l.readCertificates(ctx, selector, append(otherwise, scope.Namespace)...); err != nil {
		return err
	}
	if err := l.readNamespaces(ctx); err != nil {
		return err
	}
	return l.readGrants(ctx)
}

func (l *look) keep(found ...gatewayv1.Gateway) {
	for i := range found {
		l.Gateways[plan.NameOf(&found[i])] = &found[i]
	}
}

func (l *look) hide(gateway types.NamespacedName) {
	l.Hidden[gateway] = true
	l.Miss(view.Gap{
		Verb: "get", Resource: gatewayResource, Namespace: gateway.Namespace, Name: gateway.Name,
		Consequence: "nothing can be told of that Gateway, nor who may attach to it",
	})
}

// readGateway takes one that is missing for none.
func (l *look) readGateway(ctx context.Context, name types.NamespacedName) error {
	found, err := l.gatewaysOf(ctx, name)
	if apierrors.IsForbidden(err) {
		l.hide(name)
		return nil
	}
	l.keep(found...)
	return err
}

// readCertificates reads those of all namespaces or, where that is not allowed, of
// the ones named.
func (l *look) readCertificates(ctx context.Context, selector string, otherwise ...string) error {
	all, err := l.certificatesIn(ctx, metav1.NamespaceAll, selector)
	if !apierrors.IsForbidden(err) {
		l.Certificates = append(l.Certificates, all...)
		return err
	}
	l.From = map[string]bool{}
	for _, namespace := range otherwise {
		if namespace == metav1.NamespaceAll || l.From[namespace] {
			continue
		}
		some, err := l.certificatesIn(ctx, namespace, selector)
		if apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			return err
		}
		l.From[namespace] = true
		l.Certificates = append(l.Certificates, some...)
	}
	l.Miss(view.Gap{Verb: "list", Resource: certificateResource, Consequence: l.withoutCertificates()})
	return nil
}

func (l *look) withoutCertificates() string {
	read := "none are"
	if len(l.From) > 0 {
		read = fmt.Sprintf("only those of namespaces %q are", slices.Sorted(maps.Keys(l.From)))
	}
	return read + " judged; listeners of others are taken to stay as they are, like the Gateway owner's, and do not count for max-listeners"
}

func (l *look) certificatesIn(ctx context.Context, namespace, selector string) ([]certmanagerv1.Certificate, error) {
	var found []certmanagerv1.Certificate
	err := eachPage(ctx, metav1.ListOptions{LabelSelector: selector}, l.certificates.Certificates(namespace).List, func(page *certmanagerv1.CertificateList) {
		found = append(found, page.Items...)
	})
	if err != nil {
		return nil, fmt.Errorf("list Certificates: %w", err)
	}
	return found, nil
}

// pageSize is kubectl's own (--chunk-size).
const pageSize = 500

// eachPage lists page by page, all of one state of the cluster.
func eachPage[L metav1.ListInterface](ctx context.Context, options metav1.ListOptions, list func(context.Context, metav1.ListOptions) (L, error), take func(L)) error {
	options.Limit = pageSize
	for {
		page, err := list(ctx, options)
		if err != nil {
			return err
		}
		take(page)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}
