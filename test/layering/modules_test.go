package layering

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// go vet ./... stops at a nested module, so make lint goes into each.
func TestLintGoesIntoEachNestedModuleThatHasSource(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), "\nNESTED := ")
	line, _, _ = strings.Cut(line, "\n")
	listed := strings.Fields(line)
	slices.Sort(listed)
	if diff := cmp.Diff(nestedWithSource(t), listed); diff != "" {
		t.Errorf("nested modules (-on disk +in the Makefile):\n%s", diff)
	}
}

func nestedWithSource(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "go.mod" || path == "../../go.mod" {
			return err
		}
		dir := filepath.Dir(path)
		if hasSource(t, dir) {
			relative, err := filepath.Rel("../..", dir)
			if err != nil {
				return err
			}
			found = append(found, filepath.ToSlash(relative))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

func hasSource(t *testing.T, dir string) bool {
	t.Helper()
	has := false
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		has = has || strings.HasSuffix(path, ".go")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return has
}
