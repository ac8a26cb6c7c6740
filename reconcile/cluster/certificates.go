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
// older than resourceVersion, which may be empty (see [newest]). A failed LIST
// is an error, never an empty result.
//
// Two selectors are needed because a Certificate beside its Gateway may leave
// the namespace out. They overlap, so that a Certificate whose namespace label
// comes or goes between the two LISTs is not missed by both.
func (c *Cluster) CertificatesOf(ctx context.Context, gateway types.NamespacedName, resourceVersion string) ([]certmanagerv1.Certificate, error) {
	name := labels.Set{plan.GatewayNameKey: plan.GatewayNameLabel(gateway.Name)}
	elsewhere := labels.Merge(name, labels.Set{plan.GatewayNamespaceKey: gateway.Namespace})

	var named, beside *certmanagerv1.CertificateList
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		named, err = c.listCertificates(ctx, metav1.NamespaceAll, elsewhere.String(), resourceVersion)
		return err
	})
	group.Go(func() (err error) {
		beside, err = c.listCertificates(ctx, gateway.Namespace, name.String(), resourceVersion)
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
			name := types.NamespacedName{Namespace: certificate.Namespace, Name: certificate.Name}
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
	list, err := c.listCertificates(ctx, metav1.NamespaceAll, plan.GatewayNameKey, "")
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (c *Cluster) listCertificates(ctx context.Context, namespace, selector, resourceVersion string) (*certmanagerv1.CertificateList, error) {
	list, err := fresh(ctx, c.certificatesSeen.bound(resourceVersion), func(ctx context.Context, options metav1.ListOptions) (*certmanagerv1.CertificateList, error) {
		options.LabelSelector = selector
		return c.certificateClient.Certificates(namespace).List(ctx, options)
	})
	if err != nil {
		return nil, fmt.Errorf("list Certificates with %q in namespace %q: %w", selector, namespace, err)
	}
	c.certificatesSeen.saw(list.ResourceVersion)
	return list, nil
}
