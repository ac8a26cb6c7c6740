package main

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	kustomize "sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// manifestsHeader is what a reader of the file has to know first.
const manifestsHeader = `# gateway-cert-handler %s: knative/base as kustomize builds it.
# Not to be applied as it is: the image apiserver-receive-adapter is that of your
# own Knative, and an overlay says which; see docs/release.md.
`

// writeManifests writes the base as one file, with the image of this version, and
// all of knative/ as an archive.
func (r release) writeManifests(digest string) error {
	built, err := r.buildBase(digest)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, manifestsHeader, r.version)
	if err := r.save(product+"-"+r.version+".yaml", append(text, built...)); err != nil {
		return err
	}
	root := product + "-" + r.version
	files, err := filesBelow(filepath.Join(r.source, "knative"), path.Join(root, "knative"), func(name string) bool {
		return !strings.HasSuffix(name, ".go")
	})
	if err != nil {
		return err
	}
	archive, err := tarGzOf(files)
	if err != nil {
		return err
	}
	return r.save(root+"-knative.tar.gz", archive)
}

// buildBase builds an overlay over the base that is on no disk.
func (r release) buildBase(digest string) ([]byte, error) {
	files := filesys.MakeFsInMemory()
	base, err := filesBelow(filepath.Join(r.source, "knative", "base"), "/base", func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	overlay, err := yaml.Marshal(kustomize.Kustomization{
		Resources: []string{"../base"},
		Images:    []kustomize.Image{{Name: product, NewName: r.image, NewTag: r.version, Digest: digest}},
	})
	if err != nil {
		return nil, fmt.Errorf("write an overlay: %w", err)
	}
	for _, f := range append(base, file{name: "/overlay/kustomization.yaml", content: overlay}) {
		if err := files.WriteFile(f.name, f.content); err != nil {
			return nil, fmt.Errorf("write an overlay: %w", err)
		}
	}
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay")
	if err != nil {
		return nil, fmt.Errorf("build the manifests: %w", err)
	}
	return resources.AsYaml()
}
