package knative_test

import (
	"os"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// crdsOf reads the CustomResourceDefinitions that a module carries.
func crdsOf(t testing.TB, module string, patterns ...string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(moduleDir(t, module), pattern))
		if err != nil {
			t.Fatalf("list %s of %s: %v", pattern, module, err)
		}
		found := 0
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("read a CRD of %s: %v", module, err)
			}
			crd := &apiextensionsv1.CustomResourceDefinition{}
			if err := yaml.Unmarshal(data, crd); err != nil {
				t.Fatalf("decode %s: %v", file, err)
			}
			if crd.Kind == "CustomResourceDefinition" {
				crds = append(crds, crd)
				found++
			}
		}
		if found == 0 {
			t.Fatalf("no CRD in %s of %s: has it moved?", pattern, module)
		}
	}
	return crds
}

// watchedCRDs are those of the objects that the sources watch.
func watchedCRDs(t testing.TB) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return append(
		crdsOf(t, gatewayAPIModule, "config/crd/standard/*.yaml"),
		crdsOf(t, certManagerModule, "deploy/crds/*.yaml")...,
	)
}

// knativeCRDs are those of the objects that are applied.
func knativeCRDs(t testing.TB) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return append(
		crdsOf(t, eventingModule, "config/core/resources/*.yaml"),
		crdsOf(t, servingModule, "config/core/300-resources/*.yaml")...,
	)
}
