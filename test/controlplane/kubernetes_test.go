package controlplane

import (
	"path/filepath"
	"strings"
	"testing"
)

// otherModule makes a small nested module of another version.
func otherModule(t *testing.T, source, minor, sums string) {
	t.Helper()
	dir := filepath.Join(source, otherPrefix+minor)
	write(t, filepath.Join(dir, "go.mod"), "module k\nrequire k8s.io/kubernetes v"+minor+".9\nrequire go.etcd.io/etcd/server/v3 v3.6.4\n")
	write(t, filepath.Join(dir, "go.sum"), sums)
}

func TestAnUnknownKubernetesIsRefusedWithThoseThatThereAre(t *testing.T) {
	source := t.TempDir()
	otherModule(t, source, "1.33", "")
	otherModule(t, source, "1.34", "")
	_, err := otherKubernetes(source, "1.99")
	if err == nil || !strings.Contains(err.Error(), "only for 1.33, 1.34:") {
		t.Errorf("the error is %v", err)
	}
}

func TestAnotherKubernetesIsBuiltWithItsOwnVersion(t *testing.T) {
	source := t.TempDir()
	otherModule(t, source, "1.34", "")
	dir, err := otherKubernetes(source, "1.34")
	if err != nil {
		t.Fatal(err)
	}
	target, err := kubernetesTarget(t.Context(), dir, "/cache")
	if err != nil {
		t.Fatal(err)
	}
	if want := "/cache/kubernetes/v1.34.9-"; !strings.HasPrefix(target.dir, want) {
		t.Errorf("it is built into %s, not below %s", target.dir, want)
	}
	if len(target.programs) != len(kubernetesPrograms) {
		t.Fatalf("%d programs are built, want %v", len(target.programs), kubernetesPrograms)
	}
	for i, p := range target.programs {
		if p.name != kubernetesPrograms[i] || p.dir != dir || !strings.Contains(p.ldflags, "version.gitVersion=v1.34.9 ") {
			t.Errorf("it builds %+v", p)
		}
	}
}

func TestAnotherKubernetesIsBuiltAnewWhenItsModuleChanges(t *testing.T) {
	directories := map[string]bool{}
	for _, sums := range []string{"", "", "changed"} {
		source := t.TempDir()
		otherModule(t, source, "1.34", sums)
		target, err := kubernetesTarget(t.Context(), filepath.Join(source, otherPrefix+"1.34"), "/cache")
		if err != nil {
			t.Fatal(err)
		}
		directories[target.dir] = true
	}
	if len(directories) != 2 {
		t.Errorf("three modules, two of them equal, are built into %v", directories)
	}
}
