package controlplane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// otherPrefix begins the names of the nested modules of other minor versions of
// Kubernetes than that of Build.
const otherPrefix = "kubernetes-"

// BuildKubernetes makes etcd, kube-apiserver and kubectl of another minor version
// of Kubernetes, such as "1.34", and returns their directory, which
// [AssetsVariable] takes. In everything else it is as the function [Build].
func BuildKubernetes(ctx context.Context, minor string, progress io.Writer) (dir string, err error) {
	source, err := sourceDir(ctx)
	if err != nil {
		return "", err
	}
	module, err := otherKubernetes(source, minor)
	if err != nil {
		return "", err
	}
	base, err := CacheDir()
	if err != nil {
		return "", err
	}
	target, err := kubernetesTarget(ctx, module, base)
	if err != nil {
		return "", err
	}
	return target.dir, target.ensure(ctx, progress)
}

// otherKubernetes returns the nested module of a minor version.
func otherKubernetes(source, minor string) (string, error) {
	found, err := filepath.Glob(filepath.Join(source, otherPrefix+"*"))
	if err != nil {
		return "", fmt.Errorf("list the versions of Kubernetes: %w", err)
	}
	var minors []string
	for _, dir := range found {
		name := strings.TrimPrefix(filepath.Base(dir), otherPrefix)
		if name == minor {
			return dir, nil
		}
		minors = append(minors, name)
	}
	return "", fmt.Errorf("build Kubernetes %s: there is no module for it, only for %s: add a directory %s%s as README.md says",
		minor, strings.Join(minors, ", "), otherPrefix, minor)
}

// kubernetesTarget returns what is to be built in the module in dir, below the
// cache base.
func kubernetesTarget(ctx context.Context, dir, base string) (target, error) {
	versions := map[string]string{}
	if err := readVersions(versions, dir, kubernetesModule, etcdModule); err != nil {
		return target{}, err
	}
	tools, err := toolchain(ctx, dir)
	if err != nil {
		return target{}, err
	}
	programs := kubernetesOf(dir, versions)
	hash := sha256.New()
	fmt.Fprintln(hash, tools, buildFlags)
	for _, p := range programs {
		fmt.Fprintln(hash, p.name, p.pkg, p.ldflags)
	}
	if err := hashInputs(hash, dir); err != nil {
		return target{}, fmt.Errorf("hash the build inputs in %s: %w", dir, err)
	}
	version := versions[kubernetesModule]
	return target{
		name:     "Kubernetes " + version,
		estimate: "10 minutes",
		dir:      filepath.Join(base, "kubernetes", version+"-"+hex.EncodeToString(hash.Sum(nil))[:keyDigits]),
		programs: programs,
	}, nil
}

// kubernetesOf lists what is built of a nested module of Kubernetes.
func kubernetesOf(dir string, versions map[string]string) []program {
	flags := versionFlags(versions[kubernetesModule])
	return []program{
		{name: etcd, version: versions[etcdModule], dir: dir, pkg: etcdModule, ldflags: flags},
		{name: apiServer, version: versions[kubernetesModule], dir: dir, pkg: kubernetesModule + "/cmd/kube-apiserver", ldflags: flags},
		{name: kubectl, version: versions[kubernetesModule], dir: dir, pkg: kubernetesModule + "/cmd/kubectl", ldflags: flags},
	}
}
