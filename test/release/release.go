package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	product = "gateway-cert-handler"
	license = "LICENSE"
)

// release is what is published, and what of. Its fields are the flags of main.
type release struct {
	version, image, download string
	source, built, to        string
}

// write makes the directory and all of its files.
func (r release) write() error {
	if err := os.Mkdir(r.to, 0o755); err != nil {
		return fmt.Errorf("make the directory of the release: %w", err)
	}
	digest, err := r.writeImage()
	if err != nil {
		return err
	}
	if err := r.writeManifests(digest); err != nil {
		return err
	}
	platforms, err := r.writePlugins()
	if err != nil {
		return err
	}
	if err := r.writeKrew(platforms); err != nil {
		return err
	}
	return writeChecksums(r.to)
}

func (r release) save(name string, content []byte) error {
	if err := os.WriteFile(filepath.Join(r.to, name), content, 0o644); err != nil {
		return fmt.Errorf("write a file of the release: %w", err)
	}
	return nil
}
