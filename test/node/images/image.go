// Package images makes container images of programs and serves them in a registry
// of the node's own, so that nothing has to be pulled from elsewhere.
package images

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"gateway-cert-operator.io/gateway-cert-handler/test/image/base"
)

// architecture is what the node runs.
const architecture = "amd64"

// ofProgram returns an image that runs one static program, on our base. Its layer
// is not compressed: it travels within the machine.
func ofProgram(path string) (v1.Image, error) {
	image, err := base.New(architecture)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	layer, err := archive(content)
	if err != nil {
		return nil, fmt.Errorf("make the program's layer: %w", err)
	}
	image, err = mutate.AppendLayers(image, layer)
	if err != nil {
		return nil, fmt.Errorf("add the program's layer: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read the base's configuration: %w", err)
	}
	config := file.Config
	config.Entrypoint = []string{"/" + program}
	return mutate.Config(image, config)
}

// program is the name of the program in each image.
const program = "program"

func archive(content []byte) (v1.Layer, error) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: program, Mode: 0o755, Size: int64(len(content))}); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return static.NewLayer(archive.Bytes(), types.OCIUncompressedLayer), nil
}

// ofLayout returns the image for the node's architecture in an OCI layout, as
// make image writes it.
func ofLayout(dir string) (v1.Image, error) {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("open the OCI layout: %w", err)
	}
	return find(index)
}

var errNoImage = errors.New("it has no image for linux/" + architecture)

func find(index v1.ImageIndex) (v1.Image, error) {
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("read an index: %w", err)
	}
	for _, descriptor := range manifest.Manifests {
		if descriptor.MediaType.IsIndex() {
			nested, err := index.ImageIndex(descriptor.Digest)
			if err != nil {
				return nil, fmt.Errorf("open an index: %w", err)
			}
			if image, err := find(nested); !errors.Is(err, errNoImage) {
				return image, err
			}
			continue
		}
		if descriptor.Platform != nil && descriptor.Platform.Architecture == architecture {
			return index.Image(descriptor.Digest)
		}
	}
	return nil, errNoImage
}
