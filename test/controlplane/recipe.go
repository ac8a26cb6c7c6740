package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
	eventingModule   = "knative.dev/eventing"
)

// recipe is all that decides what the built programs are.
type recipe struct {
	toolchain     string // version, system and architecture, as go env prints them
	kubernetesDir string
	eventingDir   string
	versions      map[string]string // of the three modules above
}

// readRecipe reads the nested modules below dir.
func readRecipe(ctx context.Context, dir string) (recipe, error) {
	r := recipe{
		kubernetesDir: filepath.Join(dir, "kubernetes"),
		eventingDir:   filepath.Join(dir, "eventing"),
		versions:      map[string]string{},
	}
	if err := readVersions(r.versions, r.kubernetesDir, kubernetesModule, etcdModule); err != nil {
		return recipe{}, err
	}
	if err := readVersions(r.versions, r.eventingDir, eventingModule); err != nil {
		return recipe{}, err
	}
	var err error
	r.toolchain, err = toolchain(ctx, r.kubernetesDir)
	return r, err
}

// toolchain returns the version, system and architecture that are built with in
// a directory.
func toolchain(ctx context.Context, dir string) (string, error) {
	out, err := goCommand{dir: dir, args: []string{"env", "GOVERSION", "GOOS", "GOARCH"}}.output(ctx)
	if err != nil {
		return "", fmt.Errorf("ask for the Go version: %w", err)
	}
	return strings.Join(strings.Fields(out), " "), nil
}

// readVersions adds the versions of these modules that the module in dir requires.
func readVersions(versions map[string]string, dir string, paths ...string) error {
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the versions to build: %w", err)
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		return fmt.Errorf("read the versions to build: %w", err)
	}
	for _, require := range file.Require {
		for _, path := range paths {
			if require.Mod.Path == path {
				versions[path] = require.Mod.Version
			}
		}
	}
	for _, path := range paths {
		if versions[path] == "" {
			return fmt.Errorf("read the versions to build: %s does not require %s: add it with go get", name, path)
		}
	}
	return nil
}

// programs lists what is built, in the order of building.
func (r recipe) programs() []program {
	return append(kubernetesOf(r.kubernetesDir, r.versions), []program{
		{name: receiveAdapter, version: r.versions[eventingModule], dir: r.eventingDir, pkg: "./" + receiveAdapter, ldflags: stripped},
		{name: receiveAdapterEnv, version: r.versions[eventingModule], dir: r.eventingDir, pkg: "./" + receiveAdapterEnv, ldflags: stripped},
		{name: brokerControllers, version: r.versions[eventingModule], dir: r.eventingDir, pkg: "./" + brokerControllers, ldflags: stripped},
		{name: brokerIngress, version: r.versions[eventingModule], dir: r.eventingDir, pkg: eventingModule + "/cmd/broker/ingress", ldflags: stripped},
		{name: brokerFilter, version: r.versions[eventingModule], dir: r.eventingDir, pkg: eventingModule + "/cmd/broker/filter", ldflags: stripped},
		{name: channelDispatcher, version: r.versions[eventingModule], dir: r.eventingDir, pkg: eventingModule + "/cmd/in_memory/channel_dispatcher", ldflags: stripped},
	}...)
}

// stripped leaves out symbol tables: the programs are run, not debugged, and
// are a third smaller without.
const stripped = "-s -w"

// versionFlags are the linker flags that tell Kubernetes' programs their
// version. A build from the module cache knows none, and Knative and kubectl
// refuse a server that calls itself v0.0.0.
func versionFlags(version string) string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	flags := stripped
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		for _, value := range []string{
			"gitVersion=" + version,
			"gitMajor=" + major,
			"gitMinor=" + minor,
			"gitCommit=unknown",
			"gitTreeState=clean",
			// A fixed date: the same inputs give the same programs.
			"buildDate=1970-01-01T00:00:00Z",
		} {
			flags += " -X " + pkg + "." + value
		}
	}
	return flags
}
