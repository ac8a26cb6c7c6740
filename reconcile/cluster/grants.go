package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayv1beta1 "sigs.k8s.io/gateway-api/apis/v1beta1"
)

// ReferenceGrants returns those of all namespaces. Where the API server knows no
// such resource there are none, and that is no error; a failed LIST is one.
func (c *Cluster) ReferenceGrants(ctx context.Context) ([]gatewayv1.ReferenceGrant, error) {
	list, err := fresh(ctx, &c.grantsSeen, "", func(ctx context.Context, options metav1.ListOptions) (*gatewayv1.ReferenceGrantList, error) {
		return answer[gatewayv1.ReferenceGrantList](ctx, c.grants.list(options))
	})
	switch {
	case apierrors.IsNotFound(err):
		return c.oldReferenceGrants(ctx)
	case err != nil:
		return nil, fmt.Errorf("list ReferenceGrants: %w", err)
	}
	return list.Items, nil
}

// oldReferenceGrants reads v1beta1, which is all that older releases of the
// Gateway API have. Its fields are those of v1.
func (c *Cluster) oldReferenceGrants(ctx context.Context) ([]gatewayv1.ReferenceGrant, error) {
	list, err := fresh(ctx, &c.grantsSeen, "", func(ctx context.Context, options metav1.ListOptions) (*gatewayv1beta1.ReferenceGrantList, error) {
		return answer[gatewayv1beta1.ReferenceGrantList](ctx, c.oldGrants.list(options))
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("list ReferenceGrants of v1beta1: %w", err)
	}
	grants := make([]gatewayv1.ReferenceGrant, len(list.Items))
	for i := range list.Items {
		grants[i] = gatewayv1.ReferenceGrant(list.Items[i])
	}
	return grants, nil
}
