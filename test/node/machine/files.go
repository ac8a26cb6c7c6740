package machine

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed files
var files embed.FS

// values are what the templates in files name.
type values struct {
	State, Debian, Token    string
	NodeIP, PodCIDR, Cgroup string
	Registry, Pause         string
}

// places says where in the state directory a file belongs that is not in etc.
var places = map[string]string{
	"cni.conflist": "etc/cni/10-node.conflist",
	"kubeconfig":   "kubeconfig",
}

func writeFiles(v values) error {
	entries, err := files.ReadDir("files")
	if err != nil {
		return fmt.Errorf("read the templates: %w", err)
	}
	for _, entry := range entries {
		place := places[entry.Name()]
		if place == "" {
			place = filepath.Join("etc", entry.Name())
		}
		if err := writeFile(entry.Name(), filepath.Join(v.State, place), v); err != nil {
			return fmt.Errorf("write %s: %w", place, err)
		}
	}
	return nil
}

func writeFile(name, path string, v values) error {
	t, err := template.New(name).Option("missingkey=error").ParseFS(files, "files/"+name)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := t.Execute(file, v); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
