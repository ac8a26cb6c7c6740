package knative_test

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// served are the resources that an API server with these CRDs has.
func served(crds []*apiextensionsv1.CustomResourceDefinition) map[schema.GroupVersionResource]bool {
	resources := map[schema.GroupVersionResource]bool{}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			if version.Served {
				resources[schema.GroupVersionResource{
					Group: crd.Spec.Group, Version: version.Name, Resource: crd.Spec.Names.Plural,
				}] = true
			}
		}
	}
	return resources
}

// watchable is what an ApiServerSource of this repository may name: what the
// CRDs serve, and what every cluster has.
func watchable(t testing.TB) map[schema.GroupVersionResource]bool {
	t.Helper()
	resources := served(watchedCRDs(t))
	for group, names := range map[schema.GroupVersion][]string{
		{Version: "v1"}: {"configmaps", "endpoints", "events", "namespaces", "nodes", "persistentvolumeclaims",
			"persistentvolumes", "pods", "secrets", "serviceaccounts", "services"},
		{Group: "apps", Version: "v1"}: {"daemonsets", "deployments", "replicasets", "statefulsets"},
	} {
		for _, name := range names {
			resources[group.WithResource(name)] = true
		}
	}
	return resources
}

// watch is one kind that an ApiServerSource names.
type watch struct {
	where            string
	apiVersion, kind string
}

// unwatchable says why Knative would not watch what is meant: its controller
// guesses the resource from the kind, and where the guess is wrong the source
// is never Ready, or is Ready and silent.
func unwatchable(w watch, resources map[schema.GroupVersionResource]bool) error {
	version, err := schema.ParseGroupVersion(w.apiVersion)
	if err != nil {
		return fmt.Errorf("%s: an ApiServerSource names apiVersion %q: %w", w.where, w.apiVersion, err)
	}
	guess, _ := meta.UnsafeGuessKindToResource(version.WithKind(w.kind))
	if !resources[guess] {
		return fmt.Errorf("%s: an ApiServerSource names %s %s, for which Knative would watch %q: no such resource",
			w.where, w.apiVersion, w.kind, guess.Resource)
	}
	return nil
}

// watchesBelow returns what the ApiServerSources below a directory watch, as
// they are written and as kustomizations build them.
func watchesBelow(t *testing.T, root string) (written, built []watch) {
	t.Helper()
	written, err := watchesIn(root)
	if err != nil {
		t.Fatal(err)
	}
	built, err = watchesBuilt(root)
	if err != nil {
		t.Fatal(err)
	}
	return written, built
}

func TestEveryApiServerSourceOfTheRepositoryCanBeWatched(t *testing.T) {
	resources := watchable(t)
	written, built := watchesBelow(t, repositoryRoot(t))
	// The base's own, once as written and once as built: else nothing was read.
	if len(written) == 0 || len(built) == 0 {
		t.Fatalf("found %d ApiServerSources in files and %d in what they build", len(written), len(built))
	}
	for _, w := range append(written, built...) {
		if err := unwatchable(w, resources); err != nil {
			t.Error(err)
		}
	}
}

func TestKindsAreToldApartByTheirPlural(t *testing.T) {
	resources := watchable(t)
	for _, kind := range []struct {
		apiVersion, kind string
		good             bool
	}{
		{"cert-manager.io/v1", "Certificate", true},
		{"gateway.networking.k8s.io/v1", "ListenerSet", true},
		{"gateway.networking.k8s.io/v1", "HTTPRoute", true},
		{"v1", "Namespace", true},
		{"apps/v1", "Deployment", true},
		{"gateway.networking.k8s.io/v1", "Gateway", false},
		{"gateway.networking.k8s.io/v9", "ListenerSet", false},
		{"cert-manager.io/v1", "Certificates", false},
		{"v1", "Certificate", false},
		{"", "", false},
	} {
		err := unwatchable(watch{"here", kind.apiVersion, kind.kind}, resources)
		if (err == nil) != kind.good {
			t.Errorf("%s %s: %v", kind.apiVersion, kind.kind, err)
		}
	}
}
