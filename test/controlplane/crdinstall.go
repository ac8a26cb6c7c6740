package controlplane

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

const (
	crdTimeout = time.Minute
	crdPoll    = 100 * time.Millisecond
)

// installCRDs creates the CRDs that the server lacks and waits until all are
// Established, and seen in discovery, which kubectl and REST mappers go by.
func installCRDs(ctx context.Context, config *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("install the CRDs: %w", err)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	for _, crd := range crds {
		group.Go(func() error {
			_, err := client.ApiextensionsV1().CustomResourceDefinitions().Create(groupCtx, crd, metav1.CreateOptions{})
			// One that exists belongs to the user's cluster, with its webhooks.
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("install the CRD %s: %w", crd.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return waitForCRDs(ctx, client, crds)
}

func waitForCRDs(ctx context.Context, client clientset.Interface, crds []*apiextensionsv1.CustomResourceDefinition) error {
	wanted := servedResources(crds)
	left := wanted
	var lastErr error
	err := wait.PollUntilContextTimeout(ctx, crdPoll, crdTimeout, true, func(context.Context) (bool, error) {
		// Discovery shows a resource once its CRD is Established. Asking it
		// costs the server a tenth of listing the CRDs with their schemas.
		discovered, err := discoveredResources(client)
		left, lastErr = wanted.Difference(discovered), err
		return err == nil && left.Len() == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the CRDs to be served: %w; missing are %s", errors.Join(err, lastErr), strings.Join(sets.List(left), ", "))
	}
	return nil
}

// servedResources returns group/version/plural of all that the CRDs serve.
func servedResources(crds []*apiextensionsv1.CustomResourceDefinition) sets.Set[string] {
	served := sets.New[string]()
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			if version.Served {
				served.Insert(crd.Spec.Group + "/" + version.Name + "/" + crd.Spec.Names.Plural)
			}
		}
	}
	return served
}

func discoveredResources(client clientset.Interface) (sets.Set[string], error) {
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	discovered := sets.New[string]()
	for _, list := range lists {
		for _, resource := range list.APIResources {
			discovered.Insert(list.GroupVersion + "/" + resource.Name)
		}
	}
	return discovered, nil
}
