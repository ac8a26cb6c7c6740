package controlplane_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func TestLocateNamesTheCommandThatBuildsWhatIsMissing(t *testing.T) {
	t.Setenv(controlplane.CacheDirVariable, t.TempDir())
	t.Setenv(controlplane.AssetsVariable, "")

	_, err := controlplane.Locate()
	if err == nil || !strings.Contains(err.Error(), `run "make control-plane" first`) {
		t.Errorf("with an empty cache Locate says %v", err)
	}
}

func TestCacheDirectoryIsMovedByItsVariable(t *testing.T) {
	moved := t.TempDir()
	link(t, assets.Dir, filepath.Join(moved, "control-plane", filepath.Base(assets.Dir)))
	t.Setenv(controlplane.CacheDirVariable, moved)

	found, err := controlplane.Locate()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(found.Dir, moved) {
		t.Errorf("the cache is %s, not below %s", found.Dir, moved)
	}
}

func TestRelativeCacheDirectoryIsRefused(t *testing.T) {
	t.Setenv(controlplane.CacheDirVariable, "cache")

	_, err := controlplane.Locate()
	if err == nil || !strings.Contains(err.Error(), "give an absolute one") {
		t.Errorf("for a relative path Locate says %v", err)
	}
}

func TestAssetsOfTheUserReplaceKubernetes(t *testing.T) {
	dir := kubernetesOfTheUser(t)
	t.Setenv(controlplane.AssetsVariable, dir)

	found, err := controlplane.Locate()
	if err != nil {
		t.Fatal(err)
	}
	if found.KubernetesDir != dir {
		t.Errorf("Kubernetes is taken from %s, not from %s", found.KubernetesDir, dir)
	}
}

func TestAssetsOfTheUserLeaveTheAdapterOurs(t *testing.T) {
	t.Setenv(controlplane.AssetsVariable, kubernetesOfTheUser(t))

	found, err := controlplane.Locate()
	if err != nil {
		t.Fatal(err)
	}
	if found.ReceiveAdapter != assets.ReceiveAdapter {
		t.Errorf("the adapter is taken from %s, not from %s", found.ReceiveAdapter, assets.ReceiveAdapter)
	}
}

func TestIncompleteAssetsOfTheUserAreRefusedByName(t *testing.T) {
	dir := kubernetesOfTheUser(t)
	if err := os.Remove(filepath.Join(dir, "kube-apiserver")); err != nil {
		t.Fatal(err)
	}
	t.Setenv(controlplane.AssetsVariable, dir)

	_, err := controlplane.Locate()
	if err == nil || !strings.Contains(err.Error(), "it must hold etcd, kube-apiserver, kubectl") {
		t.Errorf("without kube-apiserver Locate says %v", err)
	}
}

func TestExistingClusterNeedsAKubeconfig(t *testing.T) {
	t.Setenv(controlplane.ExistingClusterVariable, "true")
	t.Setenv("KUBECONFIG", "")

	_, err := controlplane.Locate()
	if err == nil || !strings.Contains(err.Error(), "KUBECONFIG is not set") {
		t.Errorf("without KUBECONFIG Locate says %v", err)
	}
}

func TestExistingClusterReplacesKubernetes(t *testing.T) {
	t.Setenv(controlplane.ExistingClusterVariable, "true")
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "config"))

	found, err := controlplane.Locate()
	if err != nil {
		t.Fatal(err)
	}
	if found.KubernetesDir != "" {
		t.Errorf("Kubernetes is taken from %s, not from the cluster", found.KubernetesDir)
	}
}

// kubernetesOfTheUser returns a directory as a user's KUBEBUILDER_ASSETS.
func kubernetesOfTheUser(t *testing.T) string {
	t.Helper()
	t.Setenv(controlplane.ExistingClusterVariable, "")
	dir := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}
