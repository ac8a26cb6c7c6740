package images

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gateway-cert-operator.io/gateway-cert-handler/test/image/base"
)

// served starts a registry with one program and one layout and returns the
// references.
func served(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "true"), []byte("a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		Blobs: filepath.Join(dir, "blobs"), References: filepath.Join(dir, "references"),
		Programs: map[string]string{"true": filepath.Join(dir, "true")},
		Layouts:  map[string]string{"handler": writeLayout(t, filepath.Join(dir, "layout"))},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- Serve(ctx, listener, spec) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for {
		select {
		case err := <-done:
			t.Fatalf("the registry ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
		text, err := os.ReadFile(spec.References)
		if err != nil {
			continue
		}
		var references map[string]string
		if err := json.Unmarshal(text, &references); err != nil {
			t.Fatal(err)
		}
		return references
	}
}

// writeLayout writes an index of two architectures within an index, as ko does.
func writeLayout(t *testing.T, dir string) string {
	t.Helper()
	var index v1.ImageIndex = empty.Index
	for _, architecture := range []string{"arm64", "amd64"} {
		image, err := base.New(architecture)
		if err != nil {
			t.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: architecture},
		}})
	}
	if _, err := layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: index})); err != nil {
		t.Fatal(err)
	}
	return dir
}

func pull(t *testing.T, reference string) v1.Image {
	t.Helper()
	parsed, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	image, err := remote.Image(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestImagesCanBePulledByTheirDigest(t *testing.T) {
	references := served(t)
	if len(references) != 2 {
		t.Fatalf("the references are %v", references)
	}
	content := mutate.Extract(pull(t, references["true"]))
	defer content.Close()
	all, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(all, []byte("a program")) {
		t.Error("the program is not in its image")
	}
	file, err := pull(t, references["handler"]).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if file.Architecture != "amd64" {
		t.Errorf("of the layout, the image for %s is served", file.Architecture)
	}
}

func TestAnImageOfAProgramRunsItAsNobodySpecial(t *testing.T) {
	file, err := pull(t, served(t)["true"]).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(file.Config.Entrypoint, " "); got != "/program" || file.Config.User != base.User {
		t.Errorf("it runs %q as %q", got, file.Config.User)
	}
}

func TestNobodyCanPush(t *testing.T) {
	address, _, _ := strings.Cut(served(t)["true"], "/")
	response, err := http.Post("http://"+address+"/v2/true/blobs/uploads/", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a push is answered %s", response.Status)
	}
}

func TestALayoutWithoutTheArchitectureIsRefused(t *testing.T) {
	image, err := base.New("arm64")
	if err != nil {
		t.Fatal(err)
	}
	index := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
		Platform: &v1.Platform{OS: "linux", Architecture: "arm64"},
	}})
	if _, err := find(index); err == nil || !strings.Contains(err.Error(), "no image for linux/amd64") {
		t.Errorf("the error is %v", err)
	}
}
