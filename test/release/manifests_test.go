package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func build(t *testing.T, files filesys.FileSystem, dir string) resmap.ResMap {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, dir)
	must(t, err)
	return resources
}

// handlerImage is the image of the Knative Service.
func handlerImage(t *testing.T, resources resmap.ResMap) string {
	t.Helper()
	for _, r := range resources.Resources() {
		if r.GetGvk().Group == "serving.knative.dev" {
			image, err := r.GetString("spec.template.spec.containers.[name=handler].image")
			must(t, err)
			return image
		}
	}
	t.Fatal("there is no Knative Service")
	return ""
}

func identities(resources resmap.ResMap) []string {
	var all []string
	for _, r := range resources.Resources() {
		all = append(all, r.CurId().String())
	}
	return all
}

func TestTheManifestsAreTheBaseWithTheImageOfTheRelease(t *testing.T) {
	dir, v := released(t)
	layout := t.TempDir()
	for _, f := range unpack(t, content(t, dir, "gateway-cert-handler-"+v+"-oci.tar")) {
		write(t, filepath.Join(layout, f.name), string(f.content))
	}
	digest, err := indexDigest(layout)
	must(t, err)
	index := content(t, layout, filepath.Join("blobs", "sha256", strings.TrimPrefix(digest, "sha256:")))
	if "sha256:"+checksum(index) != digest {
		t.Errorf("the index of the image has not the digest %s", digest)
	}
	files := filesys.MakeFsInMemory()
	must(t, files.WriteFile("/overlay/release.yaml", content(t, dir, "gateway-cert-handler-"+v+".yaml")))
	must(t, files.WriteFile("/overlay/kustomization.yaml", []byte("resources: [release.yaml]\n")))
	got := build(t, files, "/overlay")
	if image := handlerImage(t, got); !strings.HasSuffix(image, "/gateway-cert-handler:"+v+"@"+digest) && image != "gateway-cert-handler:"+v+"@"+digest {
		t.Errorf("the image is %s", image)
	}
	want := identities(build(t, filesys.MakeFsOnDisk(), "../../knative/base"))
	if diff := cmp.Diff(want, identities(got)); diff != "" {
		t.Errorf("objects (-base +release):\n%s", diff)
	}
}

// As the page has a reader do it.
func TestTheOverlayOfThePageBuildsOnARelease(t *testing.T) {
	dir, v := released(t)
	_, overlay, _ := strings.Cut(string(content(t, "../../docs", "release.md")), "```yaml\n")
	overlay, _, _ = strings.Cut(overlay, "```")
	files := filesys.MakeFsInMemory()
	must(t, files.WriteFile("/overlay/gateway-cert-handler-v1.2.3.yaml", content(t, dir, "gateway-cert-handler-"+v+".yaml")))
	must(t, files.WriteFile("/overlay/kustomization.yaml", []byte(overlay)))
	text, err := build(t, files, "/overlay").AsYaml()
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if image, ok := strings.CutPrefix(strings.TrimSpace(line), "image: "); ok && !strings.HasPrefix(image, "registry.example.com/") {
			t.Errorf("the overlay leaves the image %s", image)
		}
	}
}

func TestTheExamplesInTheArchiveBuild(t *testing.T) {
	dir, v := released(t)
	files := filesys.MakeFsInMemory()
	for _, f := range unpack(t, content(t, dir, "gateway-cert-handler-"+v+"-knative.tar.gz")) {
		if strings.HasSuffix(f.name, ".go") {
			t.Errorf("%s is source", f.name)
		}
		must(t, files.WriteFile("/"+f.name, f.content))
	}
	examples, err := files.ReadDir("/gateway-cert-handler-" + v + "/knative/examples")
	must(t, err)
	if len(examples) == 0 {
		t.Fatal("there are no examples")
	}
	for _, example := range examples {
		build(t, files, "/gateway-cert-handler-"+v+"/knative/examples/"+example)
	}
}
