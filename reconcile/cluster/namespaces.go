package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// maxParallelGets bounds the GETs of one call that are under way at once.
	maxParallelGets = 8

	// maxNamespaceGets is up to how many Namespaces are read one by one; from
	// there on a LIST of all of them costs less.
	maxNamespaceGets = 32
)

// Namespaces returns the metadata of the named Namespaces as it is now, by name.
// One that does not exist is left out; if any cannot be read, that is an error.
func (c *Cluster) Namespaces(ctx context.Context, names []string) (map[string]metav1.ObjectMeta, error) {
	if len(names) > maxNamespaceGets {
		return c.listNamespaces(ctx, names)
	}
	read := make([]*metav1.PartialObjectMetadata, len(names))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallelGets)
	for i, name := range names {
		group.Go(func() (err error) {
			read[i], err = c.namespace(ctx, name)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := make(map[string]metav1.ObjectMeta, len(names))
	for _, namespace := range read {
		if namespace != nil {
			found[namespace.Name] = namespace.ObjectMeta
		}
	}
	return found, nil
}

func (c *Cluster) listNamespaces(ctx context.Context, names []string) (map[string]metav1.ObjectMeta, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	found := map[string]metav1.ObjectMeta{}
	namespaces := c.metadataClient.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
	err := eachPage(ctx, metav1.ListOptions{}, func(ctx context.Context, options metav1.ListOptions) (metav1.ListInterface, error) {
		page, err := namespaces.List(ctx, options)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if meta := page.Items[i].ObjectMeta; wanted[meta.Name] {
				trimMetadata(&meta)
				found[meta.Name] = meta
			}
		}
		return page, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list Namespaces: %w", err)
	}
	return found, nil
}

// namespace returns nil where there is none of that name.
func (c *Cluster) namespace(ctx context.Context, name string) (*metav1.PartialObjectMetadata, error) {
	namespaces := c.metadataClient.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
	namespace, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	switch {
	case absent(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Namespace %s: %w", name, err)
	}
	return namespace, nil
}
