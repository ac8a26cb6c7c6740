package image

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gateway-cert-operator.io/gateway-cert-handler/test/image/base"
)

const (
	// otherUser is nobody special either, and not the user of our own base.
	otherUser = "65533"
	mark      = "other-base"
)

// otherBase is ours with another user and a mark.
func otherBase(architecture string) (v1.Image, error) {
	image, err := base.New(architecture)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Config.User, file.Config.Labels = otherUser, map[string]string{mark: "true"}
	return mutate.ConfigFile(image, file)
}

// serveOtherBase has a registry on loopback serve it, and returns its name.
func serveOtherBase(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	tag, err := name.NewTag(strings.TrimPrefix(server.URL, "http://") + "/static:nonroot")
	if err != nil {
		t.Fatal(err)
	}
	index, err := base.Index(otherBase)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatalf("push the base: %v", err)
	}
	return tag.Name()
}

// makeImage runs make image as somebody would who has not called make already.
func makeImage(t *testing.T, variables ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "make", append([]string{"image"}, variables...)...)
	command.Dir = filepath.Join("..", "..")
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "MAKE") || strings.HasPrefix(variable, "MFLAGS=")
	})
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("make image %s: %v\n%s", strings.Join(variables, " "), err, output)
	}
}

func TestMakeImageTakesAnotherBase(t *testing.T) {
	directory(t) // where that is set, ko is compiled
	// Relative, for ko also takes the path for a name, which has no capitals.
	const output = "bin/image-on-another-base"
	written := filepath.Join("..", "..", filepath.FromSlash(output))
	t.Cleanup(func() { _ = os.RemoveAll(written) })
	makeImage(t, "IMAGE_BASE="+serveOtherBase(t), "IMAGE_OUTPUT="+output)
	built := imagesIn(t, written)
	for _, architecture := range []string{"amd64", "arm64"} {
		if built[architecture] == nil {
			t.Fatalf("there is no image for %s", architecture)
		}
		file, err := built[architecture].ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if file.Config.Labels[mark] == "" || file.Config.User != otherUser {
			t.Errorf("%s: the labels are %v and the user is %q, want those of the base", architecture, file.Config.Labels, file.Config.User)
		}
		if !slices.Equal(file.Config.Entrypoint, []string{entryPoint}) || files(t, built[architecture])[entryPoint] == nil {
			t.Errorf("%s: the entry point is %q", architecture, file.Config.Entrypoint)
		}
	}
}
