package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAReleaseHasTheseFiles(t *testing.T) {
	dir, v := released(t)
	want := []string{
		"checksums.txt",
		"gateway-cert-handler-" + v + "-knative.tar.gz",
		"gateway-cert-handler-" + v + "-linux-amd64.spdx.json",
		"gateway-cert-handler-" + v + "-linux-arm64.spdx.json",
		"gateway-cert-handler-" + v + "-oci.tar",
		"gateway-cert-handler-" + v + ".yaml",
		"gateway-cert.yaml",
		"kubectl-gateway_cert-" + v + "-darwin-amd64.tar.gz",
		"kubectl-gateway_cert-" + v + "-darwin-arm64.tar.gz",
		"kubectl-gateway_cert-" + v + "-linux-amd64.tar.gz",
		"kubectl-gateway_cert-" + v + "-linux-arm64.tar.gz",
	}
	if diff := cmp.Diff(want, namesIn(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestTheChecksumsAreThoseOfAllOtherFiles(t *testing.T) {
	dir, _ := released(t)
	listed := []string{checksums}
	for line := range strings.Lines(string(content(t, dir, checksums))) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if got := checksum(content(t, dir, name)); got != sum {
			t.Errorf("%s is said to have %s and has %s", name, sum, got)
		}
		listed = append(listed, name)
	}
	if diff := cmp.Diff(namesIn(t, dir), listed); diff != "" {
		t.Errorf("(-files +listed):\n%s", diff)
	}
}

// Krew's own rules are held to it by make test-release, by krew itself.
func TestKrewsManifestNamesTheArchiveOfEachPlatform(t *testing.T) {
	dir, v := released(t)
	manifest := krewManifest(t, dir)
	if manifest.Metadata["name"] != "gateway-cert" || manifest.Spec.Version != v {
		t.Errorf("it is of %s %s", manifest.Metadata["name"], manifest.Spec.Version)
	}
	got := map[string]string{}
	for _, p := range manifest.Spec.Platforms {
		labels := p.Selector.MatchLabels
		name := filepath.Base(p.URI)
		got[labels["os"]+"/"+labels["arch"]] = name
		if sum := checksum(content(t, dir, name)); sum != p.SHA256 {
			t.Errorf("%s is said to have %s and has %s", name, p.SHA256, sum)
		}
		if p.Bin != "kubectl-gateway_cert" {
			t.Errorf("the program in %s is called %s", name, p.Bin)
		}
	}
	want := map[string]string{}
	for _, platform := range []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64"} {
		want[platform] = "kubectl-gateway_cert-" + v + "-" + strings.ReplaceAll(platform, "/", "-") + ".tar.gz"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("archives (-want +got):\n%s", diff)
	}
}

func TestEachPluginsArchiveHoldsTheProgramAndTheLicense(t *testing.T) {
	dir, _ := released(t)
	programs := map[string]bool{}
	for _, p := range krewManifest(t, dir).Spec.Platforms {
		files := unpack(t, content(t, dir, filepath.Base(p.URI)))
		if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, []string{"LICENSE", "kubectl-gateway_cert"}) {
			t.Fatalf("%s holds %v", p.URI, names)
		}
		if !files["kubectl-gateway_cert"].executable || files["LICENSE"].executable {
			t.Errorf("%s: who can be run is %v", p.URI, files)
		}
		if !cmp.Equal(files["LICENSE"].content, content(t, "../..", "LICENSE")) {
			t.Errorf("%s: the license is another", p.URI)
		}
		programs[checksum(files["kubectl-gateway_cert"].content)] = true
	}
	if len(programs) != len(platforms) {
		t.Errorf("there are %d programs for %d platforms", len(programs), len(platforms))
	}
}

// When and by whom the inputs were built is not in a release.
func TestTheSameInputsGiveTheSameBytes(t *testing.T) {
	r := small(t)
	must(t, r.write())
	first := content(t, r.to, checksums)
	must(t, os.RemoveAll(r.to))
	must(t, filepath.WalkDir(r.built, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := os.Chmod(path, 0o700); err != nil {
			return err
		}
		return os.Chtimes(path, time.Time{}, time.Unix(1e9, 0))
	}))
	must(t, r.write())
	if diff := cmp.Diff(string(first), string(content(t, r.to, checksums))); diff != "" {
		t.Errorf("checksums (-first +second):\n%s", diff)
	}
}

func TestWhatIsThereIsNotOverwritten(t *testing.T) {
	r := small(t)
	must(t, r.write())
	if err := r.write(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestAVersionThatCannotBePublishedIsRefused(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "main", "v1.2.3+dirty"} {
		r := small(t)
		r.version = version
		if err := r.check(); err == nil {
			t.Errorf("version %q is taken", version)
		}
	}
	for _, version := range []string{"v1.2.3", "v1.2.3-rc.1", "v0.0.0-g05fc6b6", "v0.1.0-5-g05fc6b6-dirty"} {
		r := small(t)
		r.version = version
		if err := r.check(); err != nil {
			t.Error(err)
		}
	}
}
