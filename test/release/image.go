package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeImage writes the OCI layout as an archive and the image's bills of materials
// beside it. It returns the digest of the index over all architectures, which
// copying to a registry keeps.
func (r release) writeImage() (digest string, err error) {
	layout := filepath.Join(r.built, "image", "layout")
	if digest, err = indexDigest(layout); err != nil {
		return "", err
	}
	files, err := filesBelow(layout, "", func(string) bool { return true })
	if err != nil {
		return "", err
	}
	archive, err := tarOf(files) // its layers are compressed
	if err != nil {
		return "", err
	}
	if err := r.save(product+"-"+r.version+"-oci.tar", archive); err != nil {
		return "", err
	}
	return digest, r.writeBills()
}

// indexDigest returns the digest of the one index in an OCI layout (OCI image
// layout specification, index.json).
func indexDigest(layout string) (string, error) {
	text, err := os.ReadFile(filepath.Join(layout, "index.json"))
	if err != nil {
		return "", fmt.Errorf("read the image (make image builds it): %w", err)
	}
	var index struct {
		Manifests []struct{ Digest string }
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return "", fmt.Errorf("read the image's index: %w", err)
	}
	if len(index.Manifests) != 1 || !strings.HasPrefix(index.Manifests[0].Digest, "sha256:") {
		return "", fmt.Errorf("the layout names %d images, want one by its SHA-256: build it anew by make image", len(index.Manifests))
	}
	return index.Manifests[0].Digest, nil
}

// writeBills copies the SPDX file of each architecture. ko names them after the
// image, this version after the platform.
func (r release) writeBills() error {
	found, err := filepath.Glob(filepath.Join(r.built, "image", "sbom", "*-linux-*.spdx.json"))
	if err != nil {
		return fmt.Errorf("find the image's bills of materials: %w", err)
	}
	if len(found) == 0 {
		return errors.New("the image has no bill of materials: build it anew by make image")
	}
	for _, bill := range found {
		content, err := os.ReadFile(bill)
		if err != nil {
			return fmt.Errorf("read a bill of materials: %w", err)
		}
		_, platform, _ := strings.Cut(filepath.Base(bill), "-linux-")
		if err := r.save(product+"-"+r.version+"-linux-"+platform, content); err != nil {
			return err
		}
	}
	return nil
}
