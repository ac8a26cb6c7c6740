package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// CertificateQuery says which Certificates are asked for, and how.
type CertificateQuery struct {
	// Gateway is what their labels name.
	Gateway types.NamespacedName
	// NotOlderThan is a version that the answer must have reached; may be empty.
	NotOlderThan string
	// Latest asks for what is there now, which may take 100 ms longer.
	Latest bool
	// Admit is asked once which of other namespaces' Certificates matter. Those
	// of the rest come without spec and status: anybody may put labels on large
	// objects, and only the owner of the Gateway says whose are to be read.
	Admit func(ctx context.Context, namespaces []string) (admitted []string, err error)
}

// byName selects what names the Gateway from its own namespace, byBoth what does
// from anywhere.
func (q CertificateQuery) byName() labels.Set {
	return labels.Set{plan.GatewayNameKey: plan.GatewayNameLabel(q.Gateway.Name)}
}

func (q CertificateQuery) byBoth() string {
	return labels.Merge(q.byName(), labels.Set{plan.GatewayNamespaceKey: q.Gateway.Namespace}).String()
}

// CertificatesOf returns the Certificates whose labels name the Gateway, cut to
// what a plan depends on. The list's version is one whose events have all been
// seen; it is empty if that cannot be told. A failed LIST is an error, never an
// empty result.
//
// A Certificate beside its Gateway may leave the namespace out of its labels, so
// one LIST is of that namespace, whole, and one of all namespaces, metadata only.
func (c *Cluster) CertificatesOf(ctx context.Context, q CertificateQuery) (*certmanagerv1.CertificateList, error) {
	var beside *certmanagerv1.CertificateList
	var everywhere *metav1.PartialObjectMetadataList
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		beside, err = c.list(groupCtx, q, q.Gateway.Namespace, q.byName().String())
		return err
	})
	group.Go(func() (err error) {
		everywhere, err = c.listMetadata(groupCtx, q, q.byBoth())
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	u := newUnion(q.Gateway)
	u.add(beside.ResourceVersion, beside.Items...)
	u.version = older(u.version, everywhere.ResourceVersion)
	if err := c.addElsewhere(ctx, q, u, everywhere.Items); err != nil {
		return nil, err
	}
	return &certmanagerv1.CertificateList{ListMeta: metav1.ListMeta{ResourceVersion: u.version}, Items: u.items}, nil
}

// addElsewhere adds those of other namespaces: whole where they are admitted.
func (c *Cluster) addElsewhere(ctx context.Context, q CertificateQuery, u *union, found []metav1.PartialObjectMetadata) error {
	foreign := map[string]struct{}{}
	for i := range found {
		if namespace := found[i].Namespace; namespace != q.Gateway.Namespace {
			foreign[namespace] = struct{}{}
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	admitted, err := q.Admit(ctx, slices.Sorted(maps.Keys(foreign)))
	if err != nil {
		return err
	}
	if err := c.addWhole(ctx, q, u, admitted); err != nil {
		return err
	}
	for i := range found {
		meta := &found[i]
		if meta.Namespace != q.Gateway.Namespace && !slices.Contains(admitted, meta.Namespace) {
			u.add(u.version, certmanagerv1.Certificate{ObjectMeta: meta.ObjectMeta})
		}
	}
	return nil
}

// maxNamespaceLists is up to how many namespaces are listed one by one; from
// there on one LIST of all of them costs less.
const maxNamespaceLists = 8

func (c *Cluster) addWhole(ctx context.Context, q CertificateQuery, u *union, namespaces []string) error {
	from := namespaces
	if len(namespaces) > maxNamespaceLists {
		from = []string{metav1.NamespaceAll}
	}
	lists := make([]*certmanagerv1.CertificateList, len(from))
	group, ctx := errgroup.WithContext(ctx)
	for i, namespace := range from {
		group.Go(func() (err error) {
			lists[i], err = c.list(ctx, q, namespace, q.byBoth())
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, list := range lists {
		u.add(list.ResourceVersion, slices.DeleteFunc(list.Items, func(c certmanagerv1.Certificate) bool {
			return !slices.Contains(namespaces, c.Namespace)
		})...)
	}
	return nil
}

// list reads Certificates whole.
func (c *Cluster) list(ctx context.Context, q CertificateQuery, namespace, selector string) (*certmanagerv1.CertificateList, error) {
	read := func(ctx context.Context, options metav1.ListOptions) (*certmanagerv1.CertificateList, error) {
		options.LabelSelector = selector
		return c.certificatePages(ctx, namespace, options)
	}
	list, err := ask(ctx, q, &c.certificatesSeen, read)
	if err != nil {
		return nil, fmt.Errorf("list Certificates with %q in namespace %q: %w", selector, namespace, err)
	}
	return list, nil
}

// listMetadata reads the metadata of Certificates in all namespaces, page by page.
func (c *Cluster) listMetadata(ctx context.Context, q CertificateQuery, selector string) (*metav1.PartialObjectMetadataList, error) {
	resource := certmanagerv1.SchemeGroupVersion.WithResource("certificates")
	read := func(ctx context.Context, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		all := &metav1.PartialObjectMetadataList{}
		options.LabelSelector = selector
		err := eachPage(ctx, options, func(ctx context.Context, options metav1.ListOptions) (metav1.ListInterface, error) {
			page, err := c.metadataClient.Resource(resource).List(ctx, options)
			if err != nil {
				return nil, err
			}
			for i := range page.Items {
				trimMetadata(&page.Items[i].ObjectMeta)
			}
			all.ResourceVersion, all.Items = page.ResourceVersion, append(all.Items, page.Items...)
			return page, nil
		})
		return all, err
	}
	list, err := ask(ctx, q, &c.certificatesSeen, read)
	if err != nil {
		return nil, fmt.Errorf("list metadata of Certificates with %q: %w", selector, err)
	}
	return list, nil
}

// ask reads as fresh as the query wants it.
func ask[L metav1.ListInterface](ctx context.Context, q CertificateQuery, seen *newest, list func(context.Context, metav1.ListOptions) (L, error)) (L, error) {
	if !q.Latest {
		return fresh(ctx, seen, q.NotOlderThan, list)
	}
	return list(ctx, metav1.ListOptions{})
}

// LabelledCertificates returns every Certificate that asks for some Gateway, cut
// to what a plan depends on, by a consistent read in pages.
func (c *Cluster) LabelledCertificates(ctx context.Context) (*certmanagerv1.CertificateList, error) {
	all, err := c.certificatePages(ctx, metav1.NamespaceAll, metav1.ListOptions{LabelSelector: plan.GatewayNameKey})
	if err != nil {
		return nil, fmt.Errorf("list Certificates with %q: %w", plan.GatewayNameKey, err)
	}
	c.certificatesSeen.saw(all.ResourceVersion)
	return all, nil
}

// certificatePages reads Certificates whole and keeps what a plan depends on.
func (c *Cluster) certificatePages(ctx context.Context, namespace string, options metav1.ListOptions) (*certmanagerv1.CertificateList, error) {
	all := &certmanagerv1.CertificateList{}
	err := eachPage(ctx, options, func(ctx context.Context, options metav1.ListOptions) (metav1.ListInterface, error) {
		page, err := answer[certmanagerv1.CertificateList](ctx, c.certificates.in(namespace).list(options))
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			trim(&page.Items[i])
		}
		all.ResourceVersion, all.Items = page.ResourceVersion, append(all.Items, page.Items...)
		return page, nil
	})
	return all, err
}
