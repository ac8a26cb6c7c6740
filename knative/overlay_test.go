package knative_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func images(t testing.TB, objects []*unstructured.Unstructured) map[string]string {
	t.Helper()
	found := map[string]string{}
	for of, pod := range pods(t, objects) {
		for _, container := range pod.Containers {
			found[of] += container.Image
		}
	}
	return found
}

// Both kinds are foreign to kustomize; that its images reach them is seen here.
func TestAnOverlayReplacesBothImages(t *testing.T) {
	got := images(t, buildOverlay(t, `
images:
- {name: gateway-cert-handler, newName: registry.test/handler, newTag: v9}
- {name: apiserver-receive-adapter, newName: registry.test/adapter, digest: "sha256:abc"}
`))
	for of, want := range map[string]string{
		"Service gateway-cert-handler": "registry.test/handler:v9",
		"ContainerSource gateways":     "registry.test/adapter@sha256:abc",
	} {
		if got[of] != want {
			t.Errorf("%s has the image %q, want %q", of, got[of], want)
		}
	}
}

// A name that the example does not replace would be pulled from wherever the
// node looks for names without a registry.
func TestTheExampleReplacesEveryImage(t *testing.T) {
	before, after := images(t, buildOnDisk(t, base)), images(t, buildOnDisk(t, example))
	for of, image := range before {
		if after[of] == image {
			t.Errorf("%s still has the image %q", of, image)
		}
	}
}

func TestAnOverlayMovesEverythingToAnotherNamespace(t *testing.T) {
	objects := buildOverlay(t, "namespace: elsewhere\n")
	named(t, objects, "Namespace", "elsewhere")
	for _, object := range objects {
		switch object.GetKind() {
		case "Namespace", "ClusterRole":
		case "ClusterRoleBinding":
			for _, subject := range decoded[rbacv1.ClusterRoleBinding](t, object).Subjects {
				if subject.Namespace != "elsewhere" {
					t.Errorf("ClusterRoleBinding %s still binds %s/%s", object.GetName(), subject.Namespace, subject.Name)
				}
			}
		default:
			if object.GetNamespace() != "elsewhere" {
				t.Errorf("%s %s is in %q", object.GetKind(), object.GetName(), object.GetNamespace())
			}
		}
	}
}

// Knative looks at a source's rights when it sees the source, and again only
// after a pause that grows.
func TestRightsAreAppliedBeforeTheSources(t *testing.T) {
	for _, order := range []krusty.ReorderOption{krusty.ReorderOptionNone, krusty.ReorderOptionLegacy} {
		lastRight, firstSource := 0, -1
		for i, object := range build(t, filesys.MakeFsOnDisk(), base, order) {
			if object.GetKind() == "Namespace" && i != 0 {
				t.Errorf("order %s: the namespace comes as number %d", order, i)
			}
			switch object.GroupVersionKind().Group {
			case rbacv1.GroupName, corev1.GroupName:
				lastRight = i
			case "sources.knative.dev":
				if firstSource < 0 {
					firstSource = i
				}
			}
		}
		if firstSource < lastRight {
			t.Errorf("order %s: a source comes as number %d, a right as number %d", order, firstSource, lastRight)
		}
	}
}
