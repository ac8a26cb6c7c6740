package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeyShowsTheVersions(t *testing.T) {
	const versions = "kubernetes-v1.36.3-etcd-v3.6.8-eventing-v0.50.0-"
	if key := keyOf(t, moduleTree(t)); !strings.HasPrefix(key, versions) {
		t.Errorf("the key %s does not begin with %s", key, versions)
	}
}

func TestKeyOfEqualTreesIsEqual(t *testing.T) {
	if one, other := keyOf(t, moduleTree(t)), keyOf(t, moduleTree(t)); one != other {
		t.Errorf("equal trees have the keys %s and %s", one, other)
	}
}

func TestKeyChangesWithEveryBuildInput(t *testing.T) {
	for _, file := range []string{"kubernetes/go.sum", "eventing/go.mod", "eventing/adapter/main.go"} {
		t.Run(file, func(t *testing.T) {
			dir := moduleTree(t)
			before := keyOf(t, dir)
			appendTo(t, filepath.Join(dir, file), "\n// changed\n")
			if after := keyOf(t, dir); after == before {
				t.Errorf("the key is %s before and after", after)
			}
		})
	}
}

func TestKeyIgnoresFilesThatAreNotBuilt(t *testing.T) {
	dir := moduleTree(t)
	before := keyOf(t, dir)
	appendTo(t, filepath.Join(dir, "eventing/README.md"), "text")
	appendTo(t, filepath.Join(dir, "eventing/adapter/main_test.go"), "package main")
	if after := keyOf(t, dir); after != before {
		t.Errorf("the key was %s and is %s", before, after)
	}
}

func TestKeyChangesWithTheToolchain(t *testing.T) {
	r := recipeOf(t, moduleTree(t))
	before, err := r.key()
	if err != nil {
		t.Fatal(err)
	}
	r.toolchain = "go1.99.0 plan9 mips"
	if after, _ := r.key(); after == before {
		t.Errorf("the key is %s for both toolchains", after)
	}
}

func TestMissingVersionIsNamed(t *testing.T) {
	dir := moduleTree(t)
	write(t, filepath.Join(dir, "eventing/go.mod"), "module m\n")
	_, err := readRecipe(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "does not require knative.dev/eventing") {
		t.Errorf("without the requirement the error is %v", err)
	}
}

func TestKubernetesIsBuiltWithItsVersion(t *testing.T) {
	const want = "-X k8s.io/component-base/version.gitMinor=36 "
	if flags := versionFlags("v1.36.3"); !strings.Contains(flags, want) {
		t.Errorf("the flags %s lack %s", flags, want)
	}
}

// moduleTree makes a source tree with small nested modules.
func moduleTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "kubernetes/go.mod"),
		"module k\nrequire k8s.io/kubernetes v1.36.3\nrequire go.etcd.io/etcd/server/v3 v3.6.8\n")
	write(t, filepath.Join(dir, "kubernetes/go.sum"), "")
	write(t, filepath.Join(dir, "eventing/go.mod"), "module e\nrequire knative.dev/eventing v0.50.0\n")
	write(t, filepath.Join(dir, "eventing/adapter/main.go"), "package main\n")
	return dir
}

func recipeOf(t *testing.T, dir string) recipe {
	t.Helper()
	r, err := readRecipe(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func keyOf(t *testing.T, dir string) string {
	t.Helper()
	key, err := recipeOf(t, dir).key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	write(t, path, string(old)+text)
}
