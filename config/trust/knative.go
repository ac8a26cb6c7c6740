package trust

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// KnativeBundleSelector selects the ConfigMaps that Knative Eventing takes for
// trust bundles.
const KnativeBundleSelector = "networking.knative.dev/trust-bundle=true"

const (
	// maxKnativeBundles is far above what clusters have, a handful.
	maxKnativeBundles = 64

	// knativePageSize bounds what one answer holds in memory: 8 ConfigMaps of
	// 1 MiB, the largest that the API server takes.
	knativePageSize = 8
)

// KnativeBundles are the trust bundles of Knative Eventing in a namespace: each
// key of each ConfigMap with its label. There need not be any. Each Resolve is a
// request to the API server, or some; see [Cached].
//
// Knative passes over what it cannot read. Here it voids the source.
type KnativeBundles struct {
	Client    Client
	Namespace string
}

// Resolve reads the ConfigMaps. An error names the ConfigMap and the key that it
// is about.
func (k KnativeBundles) Resolve(ctx context.Context) (Bundle, error) {
	name := "Knative trust bundles in namespace " + k.Namespace
	// An empty one would stand for all.
	if len(validation.IsDNS1123Label(k.Namespace)) > 0 {
		return Bundle{}, &ConfigError{name, errors.New("this cannot be a namespace; correct it")}
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	var (
		union   Bundle
		count   int
		options = metav1.ListOptions{LabelSelector: KnativeBundleSelector, Limit: knativePageSize}
	)
	for {
		page, err := k.Client.list(ctx, k.Namespace, options)
		if err != nil {
			return Bundle{}, classify(access{name, "resources [configmaps], verbs [list]", k.Namespace}, err)
		}
		if count += len(page.Items); count > maxKnativeBundles {
			return Bundle{}, &ConfigError{name, fmt.Errorf("there are more than %d ConfigMaps; merge some", maxKnativeBundles)}
		}
		for i := range page.Items { // which the API server has sorted by name
			if union, err = k.add(union, &page.Items[i]); err != nil {
				return Bundle{}, err
			}
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return union, nil
		}
	}
}

// add returns the union with all that the ConfigMap holds. Knative itself writes
// one of these as binary data, with all others in it.
func (k KnativeBundles) add(union Bundle, found *corev1.ConfigMap) (Bundle, error) {
	texts := maps.Clone(found.BinaryData)
	if texts == nil {
		texts = map[string][]byte{}
	}
	for key, text := range found.Data {
		texts[key] = []byte(text)
	}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		name := keyName(k.Namespace, found.Name, key)
		bundle, err := parse(name, texts[key])
		if err != nil {
			return Bundle{}, err
		}
		if union, err = Union(union, bundle); err != nil {
			return Bundle{}, &ConfigError{name + " with those before it", err}
		}
	}
	return union, nil
}
