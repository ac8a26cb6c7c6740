package cluster

import (
	"context"
	"fmt"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// CertificatesOf returns the Certificates whose labels name the Gateway, not
// older than resourceVersion, which may be empty (see [fresh]). A failed LIST is
// an error, never an empty result.
func (c *Cluster) CertificatesOf(ctx context.Context, gateway types.NamespacedName, resourceVersion string) ([]certmanagerv1.Certificate, error) {
	return selectFor(ctx, gateway, func(ctx context.Context, namespace, selector string) (*certmanagerv1.CertificateList, error) {
		return c.freshCertificates(ctx, namespace, selector, resourceVersion)
	})
}

// LatestCertificatesOf is CertificatesOf by consistent reads: it returns what is
// there now, and may take 100 ms longer.
func (c *Cluster) LatestCertificatesOf(ctx context.Context, gateway types.NamespacedName) ([]certmanagerv1.Certificate, error) {
	return selectFor(ctx, gateway, func(ctx context.Context, namespace, selector string) (*certmanagerv1.CertificateList, error) {
		return c.listCertificates(ctx, namespace, selector, metav1.ListOptions{})
	})
}

// selectFor lists the Certificates whose labels name the Gateway.
//
// Two selectors are needed because a Certificate beside its Gateway may leave
// the namespace out. They overlap, so that a Certificate whose namespace label
// comes or goes between the two LISTs is not missed by both.
func selectFor(
	ctx context.Context, gateway types.NamespacedName,
	list func(ctx context.Context, namespace, selector string) (*certmanagerv1.CertificateList, error),
) ([]certmanagerv1.Certificate, error) {
	name := labels.Set{plan.GatewayNameKey: plan.GatewayNameLabel(gateway.Name)}
	elsewhere := labels.Merge(name, labels.Set{plan.GatewayNamespaceKey: gateway.Namespace})

	var named, beside *certmanagerv1.CertificateList
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		named, err = list(ctx, metav1.NamespaceAll, elsewhere.String())
		return err
	})
	group.Go(func() (err error) {
		beside, err = list(ctx, gateway.Namespace, name.String())
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return unite(gateway, named.Items, beside.Items), nil
}

// unite returns the Certificates of both lists that name the Gateway, each once.
func unite(gateway types.NamespacedName, lists ...[]certmanagerv1.Certificate) []certmanagerv1.Certificate {
	var united []certmanagerv1.Certificate
	seen := map[types.NamespacedName]bool{}
	for _, list := range lists {
		for i := range list {
			certificate := &list[i]
			name := plan.NameOf(certificate)
			if target, ok := plan.Target(certificate); !ok || target != gateway || seen[name] {
				continue
			}
			seen[name] = true
			united = append(united, *certificate)
		}
	}
	return united
}

// LabelledCertificates returns every Certificate that asks for some Gateway.
func (c *Cluster) LabelledCertificates(ctx context.Context) ([]certmanagerv1.Certificate, error) {
	list, err := c.freshCertificates(ctx, metav1.NamespaceAll, plan.GatewayNameKey, "")
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// freshCertificates lists not older than resourceVersion, see [fresh].
func (c *Cluster) freshCertificates(ctx context.Context, namespace, selector, resourceVersion string) (*certmanagerv1.CertificateList, error) {
	return fresh(ctx, &c.certificatesSeen, resourceVersion, func(ctx context.Context, options metav1.ListOptions) (*certmanagerv1.CertificateList, error) {
		return c.listCertificates(ctx, namespace, selector, options)
	})
}

func (c *Cluster) listCertificates(ctx context.Context, namespace, selector string, options metav1.ListOptions) (*certmanagerv1.CertificateList, error) {
	options.LabelSelector = selector
	list, err := c.certificateClient.Certificates(namespace).List(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("list Certificates with %q in namespace %q: %w", selector, namespace, err)
	}
	return list, nil
}
