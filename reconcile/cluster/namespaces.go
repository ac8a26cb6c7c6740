package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxParallelGets bounds the GETs of one call that are under way at once.
const maxParallelGets = 8

// Namespaces returns the metadata of the named Namespaces as it is now, by name.
// One that does not exist is left out; if any cannot be read, that is an error.
func (c *Cluster) Namespaces(ctx context.Context, names []string) (map[string]metav1.ObjectMeta, error) {
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

// namespace returns nil where there is none of that name.
func (c *Cluster) namespace(ctx context.Context, name string) (*metav1.PartialObjectMetadata, error) {
	namespaces := c.metadataClient.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
	namespace, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("get Namespace %s: %w", name, err)
	}
	return namespace, nil
}
