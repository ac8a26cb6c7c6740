package knative_test

import (
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	base            = "base"
	example         = "examples/overlay"
	settingsExample = "examples/settings"
)

// directories are all that somebody may apply.
var directories = []string{
	base, example, settingsExample, authExample, brokerExample, brokerAuthExample, outcomesExample, brokerReplyExample, telemetryExample, knativeTrustExample, admissionExample,
	singleSourceExample, quietExample, hardenedExample, developerExample, kafkaExample,
	tlsExample, brokerTLSExample, observabilityExample,
}

func TestEveryExampleIsAmongTheDirectories(t *testing.T) {
	examples, err := filepath.Glob("examples/*")
	if err != nil || len(examples) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	for _, dir := range examples {
		if !slices.Contains(directories, dir) {
			t.Errorf("%s is built by no test", dir)
		}
	}
}

// build is what "kubectl apply -k dir" would send.
func build(t testing.TB, files filesys.FileSystem, dir string, order krusty.ReorderOption) []*unstructured.Unstructured {
	t.Helper()
	options := krusty.MakeDefaultOptions()
	options.Reorder = order
	resources, err := krusty.MakeKustomizer(options).Run(files, dir)
	if err != nil {
		t.Fatalf("build %s: %v", dir, err)
	}
	var objects []*unstructured.Unstructured
	for _, resource := range resources.Resources() {
		data, err := resource.MarshalJSON()
		if err != nil {
			t.Fatalf("encode %s of %s: %v", resource.CurId(), dir, err)
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(data); err != nil {
			t.Fatalf("decode %s of %s: %v", resource.CurId(), dir, err)
		}
		objects = append(objects, object)
	}
	return objects
}

func buildOnDisk(t testing.TB, dir string) []*unstructured.Unstructured {
	t.Helper()
	return build(t, filesys.MakeFsOnDisk(), dir, krusty.ReorderOptionNone)
}

// buildOverlay builds an overlay over the base that is on no disk.
func buildOverlay(t testing.TB, kustomization string) []*unstructured.Unstructured {
	t.Helper()
	files := filesys.MakeFsInMemory()
	copyFiles(t, files, base)
	if err := files.WriteFile("/overlay/kustomization.yaml", []byte("resources: [../base]\n"+kustomization)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	return build(t, files, "/overlay", krusty.ReorderOptionNone)
}

// copyFiles puts a directory on disk into a file system in memory, at its root.
func copyFiles(t testing.TB, into filesys.FileSystem, dir string) {
	t.Helper()
	disk := filesys.MakeFsOnDisk()
	names, err := disk.ReadDir(dir)
	if err != nil {
		t.Fatalf("list %s: %v", dir, err)
	}
	for _, name := range names {
		content, err := disk.ReadFile(dir + "/" + name)
		if err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
		if err := into.WriteFile("/"+dir+"/"+name, content); err != nil {
			t.Fatalf("copy %s: %v", name, err)
		}
	}
}

// overlayOf is an overlay over the base that takes up these components, in order.
func overlayOf(t testing.TB, components ...string) filesys.FileSystem {
	t.Helper()
	files := filesys.MakeFsInMemory()
	copyFiles(t, files, base)
	text := "resources: [../base]\ncomponents:\n"
	for _, component := range components {
		copyFiles(t, files, component)
		text += "- ../" + component + "\n"
	}
	if err := files.WriteFile("/overlay/kustomization.yaml", []byte(text)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	return files
}

// withConfigMap has the overlay make a ConfigMap with one key.
func withConfigMap(t testing.TB, files filesys.FileSystem, name, literal string) filesys.FileSystem {
	t.Helper()
	text, err := files.ReadFile("/overlay/kustomization.yaml")
	if err != nil {
		t.Fatalf("read the overlay: %v", err)
	}
	generator := "configMapGenerator:\n- name: " + name + "\n  literals: [\"" + literal + "\"]\n"
	if err := files.WriteFile("/overlay/kustomization.yaml", append(text, generator...)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	return files
}

func buildWith(t testing.TB, components ...string) []*unstructured.Unstructured {
	t.Helper()
	return build(t, overlayOf(t, components...), "/overlay", krusty.ReorderOptionNone)
}

// named returns the one object of this kind and name, of any API group: the
// kinds here that share a word (Knative's Service) have the group in the test.
func named(t testing.TB, objects []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == kind && object.GetName() == name {
			return object
		}
	}
	t.Fatalf("no %s %q among %d objects", kind, name, len(objects))
	return nil
}
