package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Gateway returns the Gateway as it is now. A missing one is an error for
// which apierrors.IsNotFound holds.
func (c *Cluster) Gateway(ctx context.Context, name types.NamespacedName) (*gatewayv1.Gateway, error) {
	gateway, err := answer[gatewayv1.Gateway](ctx, c.gateways.in(name.Namespace).get(name.Name))
	switch {
	case apierrors.IsNotFound(err) && !absent(err):
		return nil, fmt.Errorf("get Gateway %s: not even its absence can be told: %v", name, err)
	case err != nil:
		return nil, fmt.Errorf("get Gateway %s: %w", name, err)
	}
	c.gatewaysSeen.saw(gateway.ResourceVersion)
	return gateway, nil
}

var managed = labels.Set{plan.ManagedKey: plan.ManagedValue}.String()

// ManagedGateways returns every Gateway that has a ledger, not older than what
// this process has seen.
func (c *Cluster) ManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error) {
	list, err := fresh(ctx, &c.gatewaysSeen, "", func(ctx context.Context, options metav1.ListOptions) (*gatewayv1.GatewayList, error) {
		options.LabelSelector = managed
		return answer[gatewayv1.GatewayList](ctx, c.gateways.list(options))
	})
	if err != nil {
		return nil, fmt.Errorf("list Gateways with %q: %w", managed, err)
	}
	return list.Items, nil
}

// LatestManagedGateways returns every Gateway that has a ledger, by a consistent
// read in pages.
func (c *Cluster) LatestManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error) {
	var all []gatewayv1.Gateway
	err := eachPage(ctx, metav1.ListOptions{LabelSelector: managed}, func(ctx context.Context, options metav1.ListOptions) (metav1.ListInterface, error) {
		page, err := answer[gatewayv1.GatewayList](ctx, c.gateways.list(options))
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		c.gatewaysSeen.saw(page.ResourceVersion)
		return page, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list Gateways with %q: %w", managed, err)
	}
	return all, nil
}

// GatewayNames returns which Gateways there are now, by their metadata alone.
func (c *Cluster) GatewayNames(ctx context.Context) (map[types.NamespacedName]bool, error) {
	names := map[types.NamespacedName]bool{}
	gateways := c.metadataClient.Resource(schema.GroupVersionResource{Group: gatewayv1.GroupName, Version: gatewayv1.GroupVersion.Version, Resource: "gateways"})
	err := eachPage(ctx, metav1.ListOptions{}, func(ctx context.Context, options metav1.ListOptions) (metav1.ListInterface, error) {
		page, err := gateways.List(ctx, options)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			names[plan.NameOf(&page.Items[i])] = true
		}
		return page, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the names of Gateways: %w", err)
	}
	return names, nil
}
