package cluster

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Gateway returns the Gateway as it is now. A missing one is an error for
// which apierrors.IsNotFound holds.
func (c *Cluster) Gateway(ctx context.Context, name types.NamespacedName) (*gatewayv1.Gateway, error) {
	gateway, err := c.gatewayClient.Gateways(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get Gateway %s: %w", name, err)
	}
	c.gatewaysSeen.saw(gateway.ResourceVersion)
	return gateway, nil
}

// ManagedGateways returns every Gateway that has a ledger.
func (c *Cluster) ManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error) {
	selector := labels.Set{plan.ManagedKey: plan.ManagedValue}.String()
	list, err := fresh(ctx, &c.gatewaysSeen, "", func(ctx context.Context, options metav1.ListOptions) (*gatewayv1.GatewayList, error) {
		options.LabelSelector = selector
		return c.gatewayClient.Gateways(metav1.NamespaceAll).List(ctx, options)
	})
	if err != nil {
		return nil, fmt.Errorf("list Gateways with %q: %w", selector, err)
	}
	return list.Items, nil
}
