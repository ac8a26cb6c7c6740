// Package volume makes a directory as kubelet makes one of a ConfigMap: a file in
// it is a link to one in ..data, which is a link to the directory of a version.
package volume

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Volume holds one file. Only one goroutine may write it.
type Volume struct {
	directory, name string
	versions        int
}

// New makes one in an empty directory. There is no file before the first write.
func New(directory, name string) (*Volume, error) {
	v := &Volume{directory: directory, name: name}
	return v, os.Symlink(filepath.Join("..data", name), v.File())
}

// File is the path that the file is mounted at.
func (v *Volume) File() string { return filepath.Join(v.directory, v.name) }

// Write has every reader see one version or the next, as kubelet does: a new
// directory, a new link, one rename, and the old directory goes.
func (v *Volume) Write(text string) error {
	v.versions++
	data := filepath.Join(v.directory, "..data")
	old, _ := os.Readlink(data) // there is none before the first version
	version := "..version" + strconv.Itoa(v.versions)
	for _, step := range []func() error{
		func() error { return os.Mkdir(filepath.Join(v.directory, version), 0o755) },
		func() error { return os.WriteFile(filepath.Join(v.directory, version, v.name), []byte(text), 0o644) },
		func() error { return os.Symlink(version, data+"_tmp") },
		func() error { return os.Rename(data+"_tmp", data) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("write version %d of %s: %w", v.versions, v.File(), err)
		}
	}
	if old == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(v.directory, old))
}
