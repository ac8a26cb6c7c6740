package controlplane

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keyDigits is the length of the key's hash part in hex digits.
const keyDigits = 12

// key names the directory in which the programs of this recipe are cached. It
// shows the versions to people and changes with every input of the build.
func (r recipe) key() (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, r.toolchain)
	for _, p := range r.programs() {
		fmt.Fprintln(hash, p.name, p.pkg, buildFlags, p.ldflags)
	}
	for _, dir := range []string{r.kubernetesDir, r.eventingDir} {
		if err := hashInputs(hash, dir); err != nil {
			return "", fmt.Errorf("hash the build inputs in %s: %w", dir, err)
		}
	}
	return fmt.Sprintf("kubernetes-%s-etcd-%s-eventing-%s-%s",
		r.versions[kubernetesModule], r.versions[etcdModule], r.versions[eventingModule],
		hex.EncodeToString(hash.Sum(nil))[:keyDigits]), nil
}

func hashInputs(hash io.Writer, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isBuildInput(entry.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(hash, "%s %d\n%s", filepath.ToSlash(relative), len(data), data)
		return err
	})
}

func isBuildInput(name string) bool {
	if name == "go.mod" || name == "go.sum" {
		return true
	}
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
}
