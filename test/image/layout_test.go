// Package image holds the handler's image to what its users rely on.
package image

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"gateway-cert-operator.io/gateway-cert-handler/test/image/base"
)

// directoryVariable names the variable with the directory that make image writes.
const directoryVariable = "IMAGE_DIRECTORY"

// mostBytes is what a compressed image may have: a node pulls it before a start.
const mostBytes = 12e6

// mostProgramBytes is the bound of make size.
const mostProgramBytes = 26e6

const entryPoint = "/ko-app/gateway-cert-handler"

func directory(t *testing.T) string {
	t.Helper()
	value := os.Getenv(directoryVariable)
	if value == "" {
		t.Skipf("%s is not set: run make test-image", directoryVariable)
	}
	return value
}

// images returns the images of the layout by architecture.
func images(t *testing.T) map[string]v1.Image {
	t.Helper()
	return imagesIn(t, directory(t))
}

// imagesIn returns those that make image has written into a directory.
func imagesIn(t *testing.T, directory string) map[string]v1.Image {
	t.Helper()
	root, err := layout.ImageIndexFromPath(filepath.Join(directory, "layout"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]v1.Image{}
	collect(t, root, found)
	if len(found) == 0 {
		t.Fatal("the layout has no image")
	}
	return found
}

func collect(t *testing.T, index v1.ImageIndex, found map[string]v1.Image) {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, descriptor := range manifest.Manifests {
		if descriptor.MediaType.IsIndex() {
			nested, err := index.ImageIndex(descriptor.Digest)
			if err != nil {
				t.Fatal(err)
			}
			collect(t, nested, found)
			continue
		}
		image, err := index.Image(descriptor.Digest)
		if err != nil {
			t.Fatal(err)
		}
		file, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if found[file.Architecture] != nil {
			t.Errorf("there are two images for %s", file.Architecture)
		}
		found[file.Architecture] = image
	}
}

// files returns the headers of what is in the image, by absolute path.
func files(t *testing.T, image v1.Image) map[string]*tar.Header {
	t.Helper()
	content := mutate.Extract(image)
	defer content.Close()
	found := map[string]*tar.Header{}
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found[path.Join("/", header.Name)] = header
	}
}

func TestItIsBuiltForBothArchitectures(t *testing.T) {
	for _, architecture := range []string{"amd64", "arm64"} {
		if images(t)[architecture] == nil {
			t.Errorf("there is no image for %s", architecture)
		}
	}
}

func TestItRunsTheHandlerAsNobodySpecial(t *testing.T) {
	for architecture, image := range images(t) {
		file, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if file.Config.User != base.User {
			t.Errorf("%s: user is %q, want %s", architecture, file.Config.User, base.User)
		}
		if !slices.Equal(file.Config.Entrypoint, []string{entryPoint}) || len(file.Config.Cmd) > 0 {
			t.Errorf("%s: entry point is %q with %q", architecture, file.Config.Entrypoint, file.Config.Cmd)
		}
	}
}

func TestTheHandlerIsItsOnlyProgram(t *testing.T) {
	for architecture, image := range images(t) {
		var programs []string
		for name, header := range files(t, image) {
			if header.Typeflag != tar.TypeDir && header.Mode&0o111 != 0 || header.Typeflag == tar.TypeSymlink {
				programs = append(programs, name)
			}
			if header.Mode&0o6000 != 0 {
				t.Errorf("%s: %s changes who runs it", architecture, name)
			}
		}
		if !slices.Equal(programs, []string{entryPoint}) {
			t.Errorf("%s: programs and links are %q, want %s alone", architecture, programs, entryPoint)
		}
	}
}

// ko names the base in it. A port there would make it another image each time.
func TestNothingOfTheMachineThatBuiltItIsInIt(t *testing.T) {
	for architecture, image := range images(t) {
		manifest, err := image.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		const key, want = "org.opencontainers.image.base.name", "gateway-cert-handler.localhost/base@sha256:"
		if got := manifest.Annotations[key]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: the base is %q, want %s…", architecture, got, want)
		}
	}
}

func TestItHasCACertificates(t *testing.T) {
	for architecture, image := range images(t) {
		if header := files(t, image)["/etc/ssl/certs/ca-certificates.crt"]; header == nil || header.Size < 100e3 {
			t.Errorf("%s: CA certificates are %+v, want some 100 kB at least", architecture, header)
		}
	}
}

func TestItIsSmall(t *testing.T) {
	for architecture, image := range images(t) {
		layers, err := image.Layers()
		if err != nil {
			t.Fatal(err)
		}
		var compressed int64
		for _, layer := range layers {
			size, err := layer.Size()
			if err != nil {
				t.Fatal(err)
			}
			compressed += size
		}
		var program int64
		if header := files(t, image)[entryPoint]; header != nil {
			program = header.Size
		}
		t.Logf("%s: %.1f MB to pull, the program has %.1f MB", architecture, float64(compressed)/1e6, float64(program)/1e6)
		if compressed > mostBytes || program > mostProgramBytes || program == 0 {
			t.Errorf("%s: %d bytes to pull, the program has %d", architecture, compressed, program)
		}
	}
}

func TestASoftwareBillOfMaterialsNamesWhatIsInIt(t *testing.T) {
	for architecture := range images(t) {
		found, err := filepath.Glob(filepath.Join(directory(t), "sbom", "*linux-"+architecture+"*.spdx.json"))
		if err != nil || len(found) != 1 {
			t.Errorf("%s: SBOMs are %q (%v), want one", architecture, found, err)
			continue
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		var bill struct {
			SPDXVersion string                  `json:"spdxVersion"`
			Packages    []struct{ Name string } `json:"packages"`
		}
		if err := json.Unmarshal(text, &bill); err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(bill.Packages, func(p struct{ Name string }) bool { return p.Name == "k8s.io/client-go" })
		if !strings.HasPrefix(bill.SPDXVersion, "SPDX-2.") || !named {
			t.Errorf("%s: it is of %q and client-go is named: %t", architecture, bill.SPDXVersion, named)
		}
	}
}
