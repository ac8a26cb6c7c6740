package base

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// User is who the image runs as: nonroot, as distroless numbers it.
const User = "65532"

// New returns the image for Linux on an architecture, as Go names it. It is the
// same, byte for byte, each time.
func New(architecture string) (v1.Image, error) {
	content, err := archive()
	if err != nil {
		return nil, fmt.Errorf("make the base's layer: %w", err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("make the base's layer: %w", err)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.AppendLayers(image, layer)
	if err != nil {
		return nil, fmt.Errorf("make the base: %w", err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("make the base: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", architecture
	file.Config = v1.Config{
		User:       User,
		WorkingDir: "/",
		Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SSL_CERT_FILE=/" + certificates},
	}
	return mutate.ConfigFile(image, file)
}

const certificates = "etc/ssl/certs/ca-certificates.crt"

// archive is the one layer, as tar.
func archive() ([]byte, error) {
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	for _, directory := range []tar.Header{
		{Name: "etc/", Mode: 0o755}, {Name: "etc/ssl/", Mode: 0o755}, {Name: "etc/ssl/certs/", Mode: 0o755},
		{Name: "home/", Mode: 0o755}, {Name: "home/nonroot/", Mode: 0o700, Uid: 65532, Gid: 65532},
		{Name: "tmp/", Mode: 0o1777},
	} {
		directory.Typeflag = tar.TypeDir
		if err := w.WriteHeader(&directory); err != nil {
			return nil, err
		}
	}
	for _, file := range []struct {
		name string
		text []byte
	}{
		{"etc/passwd", []byte("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n")},
		{"etc/group", []byte("root:x:0:\nnonroot:x:65532:\n")},
		{certificates, authorities()},
	} {
		if err := w.WriteHeader(&tar.Header{Name: file.name, Mode: 0o644, Size: int64(len(file.text))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(file.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return content.Bytes(), err
}

// authorities are those of Mozilla's list that it trusts without conditions: a
// file of certificates cannot say the conditions of the rest.
func authorities() []byte {
	var text []byte
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text = slices.Concat(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return text
}
