package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// cgroup is what all cgroups of the node's pods are below, in each hierarchy.
const cgroup = "gateway-cert-node"

const cgroups = "/sys/fs/cgroup"

// errUnified is that the host has cgroup v2 alone, on which this was never tried.
var errUnified = errors.New("the host has cgroup v2 alone: the node needs the hierarchies of cgroup v1")

// hierarchies are the directories of cgroup v1's controllers.
func hierarchies() ([]string, error) {
	entries, err := os.ReadDir(cgroups)
	if err != nil {
		return nil, fmt.Errorf("look for cgroups: %w", err)
	}
	var found []string
	for _, entry := range entries {
		// A link is a second name of another: cpu of cpu,cpuacct.
		if entry.IsDir() {
			found = append(found, filepath.Join(cgroups, entry.Name()))
		}
	}
	if _, err := os.Stat(filepath.Join(cgroups, "cgroup.controllers")); err == nil || len(found) == 0 {
		return nil, errUnified
	}
	return found, nil
}

func makeCgroups() error {
	parents, err := hierarchies()
	if err != nil {
		return err
	}
	for _, parent := range parents {
		if filepath.Base(parent) == "unified" { // no controller is there
			continue
		}
		if err := makeCgroup(parent); err != nil {
			return fmt.Errorf("make a cgroup: %w", err)
		}
	}
	return nil
}

func makeCgroup(parent string) error {
	dir := filepath.Join(parent, cgroup)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// A new cpuset has no processors and no memory, and takes no process.
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(parent, file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), value, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "cgroup.clone_children"), []byte("1"), 0o644)
}

// removeCgroups removes what no process is in any more, the deepest first.
func removeCgroups() error {
	parents, err := hierarchies()
	if err != nil {
		return err
	}
	var failed []error
	for _, parent := range parents {
		var dirs []string
		err := filepath.WalkDir(filepath.Join(parent, cgroup), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				dirs = append(dirs, path)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
		for _, dir := range slices.Backward(dirs) {
			failed = append(failed, os.Remove(dir))
		}
	}
	return errors.Join(failed...)
}
