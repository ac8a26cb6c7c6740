package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The environment variables by which a user brings their own Kubernetes, with
// the names and values that envtest gave them.
const (
	AssetsVariable          = "KUBEBUILDER_ASSETS"
	ExistingClusterVariable = "USE_EXISTING_CLUSTER"
)

// overrides is what the user brought themselves.
type overrides struct {
	kubernetesDir   string
	existingCluster bool
}

func readOverrides() (overrides, error) {
	if strings.EqualFold(os.Getenv(ExistingClusterVariable), "true") {
		// Guessing ~/.kube/config could fill a cluster nobody meant with test
		// objects.
		if os.Getenv("KUBECONFIG") == "" {
			return overrides{}, errors.New(ExistingClusterVariable + "=true: KUBECONFIG is not set: set it to the kubeconfig of the cluster to use")
		}
		return overrides{existingCluster: true}, nil
	}
	dir := os.Getenv(AssetsVariable)
	if dir == "" {
		return overrides{}, nil
	}
	if !filepath.IsAbs(dir) {
		return overrides{}, fmt.Errorf("%s=%s is a relative path: give an absolute one", AssetsVariable, dir)
	}
	for _, name := range kubernetesPrograms {
		if err := checkExecutable(dir, name); err != nil {
			return overrides{}, fmt.Errorf("use %s=%s: it must hold %s, or be unset to have them built: %w",
				AssetsVariable, dir, strings.Join(kubernetesPrograms, ", "), err)
		}
	}
	return overrides{kubernetesDir: dir}, nil
}

func (o overrides) replaceKubernetes() bool {
	return o.existingCluster || o.kubernetesDir != ""
}

func (o overrides) replaces(name string) bool {
	return o.replaceKubernetes() && slices.Contains(kubernetesPrograms, name)
}
