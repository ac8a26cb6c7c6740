package main

import (
	"context"
	"fmt"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// read gets Gateways before Certificates: a listener that comes between the two
// is not among those judged, and then the guard of the removal fails.
func (s *server) read(ctx context.Context, scope types.NamespacedName) (plan.MigrateInput, error) {
	in := plan.MigrateInput{Scope: scope}
	var err error
	if in.Gateways, err = s.gatewaysOf(ctx, scope); err != nil {
		return in, err
	}
	if in.Certificates, err = s.certificatesForGateways(ctx); err != nil {
		return in, err
	}
	in.Namespaces, err = s.cluster.Namespaces(ctx, plan.NamespacesOf(in.Certificates))
	return in, err
}

// gatewaysOf takes a Gateway that is missing for none.
func (s *server) gatewaysOf(ctx context.Context, scope types.NamespacedName) ([]gatewayv1.Gateway, error) {
	if scope.Name == "" {
		list, err := s.gateways.Gateways(scope.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list Gateways: %w", err)
		}
		return list.Items, nil
	}
	gateway, err := s.gateways.Gateways(scope.Namespace).Get(ctx, scope.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Gateway %s: %w", scope, err)
	}
	return []gatewayv1.Gateway{*gateway}, nil
}

// certificatesForGateways returns those of all namespaces that name a Gateway,
// by label or by annotation; the API server can select by labels only.
func (s *server) certificatesForGateways(ctx context.Context) ([]certmanagerv1.Certificate, error) {
	list, err := s.certificates.Certificates(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list Certificates of all namespaces: %w", err)
	}
	var found []certmanagerv1.Certificate
	for _, c := range list.Items {
		if c.Labels[plan.GatewayNameKey] != "" || c.Annotations[plan.GatewayNameKey] != "" {
			found = append(found, c)
		}
	}
	return found, nil
}
