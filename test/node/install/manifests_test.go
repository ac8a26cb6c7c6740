package install

import (
	"path/filepath"
	"slices"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/parts"
)

func TestEachImageThatAManifestNamesIsBuilt(t *testing.T) {
	documents, err := Target{Root: filepath.Join("..", "..", "..")}.documents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := write(documents)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	_, err = withImages(text, func(path string) (string, bool) {
		used[path] = true
		return path, slices.Contains(parts.InPods(), path)
	})
	if err != nil {
		t.Error(err)
	}
	for _, path := range parts.InPods() {
		if !used[path] && path != parts.Operator { // which a test brings along
			t.Errorf("%s is built, and no manifest names it", path)
		}
	}
}
