package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// directoryVariable names the variable with a release that make has written, to be
// tested in place of a small one.
const directoryVariable = "RELEASE_DIRECTORY"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// small is a release of small inputs, beside the project's real manifests.
func small(t *testing.T) release {
	t.Helper()
	dir := t.TempDir()
	built := filepath.Join(dir, "bin")
	index := `{"manifests":[]}`
	digest := "sha256:" + checksum([]byte(index))
	write(t, filepath.Join(built, "image/layout/oci-layout"), `{"imageLayoutVersion":"1.0.0"}`)
	write(t, filepath.Join(built, "image/layout/index.json"), fmt.Sprintf(`{"manifests":[{"digest":%q}]}`, digest))
	write(t, filepath.Join(built, "image/layout/blobs/sha256", digest[len("sha256:"):]), index)
	for _, arch := range []string{"amd64", "arm64"} {
		write(t, filepath.Join(built, "image/sbom", "handler-linux-"+arch+".spdx.json"), `{}`)
	}
	for _, p := range platforms {
		write(t, filepath.Join(built, "plugins", p.os, p.arch, pluginProgram), "program for "+p.os+" on "+p.arch)
	}
	return release{
		version: "v1.2.3", image: "registry.example.com/" + product, download: "https://releases.example.com/v1.2.3",
		source: "../..", built: built, to: filepath.Join(dir, "release"),
	}
}

// released is the directory of a release, and its version.
func released(t *testing.T) (dir, version string) {
	t.Helper()
	if dir = os.Getenv(directoryVariable); dir == "" {
		r := small(t)
		must(t, r.write())
		dir = r.to
	}
	return dir, krewManifest(t, dir).Spec.Version
}

func content(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return text
}

func krewManifest(t *testing.T, dir string) krewPlugin {
	t.Helper()
	var manifest krewPlugin
	must(t, yaml.UnmarshalStrict(content(t, dir, "gateway-cert.yaml"), &manifest))
	return manifest
}

// unpack returns what is in an archive, by name, and holds each entry to what all
// have in common.
func unpack(t *testing.T, archive []byte) map[string]file {
	t.Helper()
	reader := io.Reader(bytes.NewReader(archive))
	if unzipped, err := gzip.NewReader(bytes.NewReader(archive)); err == nil {
		reader = unzipped
	}
	files := map[string]file{}
	for r := tar.NewReader(reader); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must(t, err)
		if header.Typeflag != tar.TypeReg || !header.ModTime.Equal(time.Unix(0, 0)) || header.Uid != 0 || header.Uname != "" {
			t.Errorf("entry %+v, want a plain file of nobody and no time", header)
		}
		text, err := io.ReadAll(r)
		must(t, err)
		files[header.Name] = file{name: header.Name, content: text, executable: header.Mode&0o111 != 0}
	}
}
