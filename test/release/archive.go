package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// file is a file in an archive.
type file struct {
	name       string // with slashes, relative
	content    []byte
	executable bool
}

// tarOf returns an archive of the files. Equal files give equal bytes: they are in
// the order of their names, of one time and of nobody, and there is nothing else,
// because krew takes no links.
func tarOf(files []file) ([]byte, error) {
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
	for _, f := range files {
		mode := int64(0o644)
		if f.executable {
			mode = 0o755
		}
		header := tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.content)), Mode: mode,
			ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(&header); err != nil {
			return nil, fmt.Errorf("put %s into an archive: %w", f.name, err)
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, fmt.Errorf("put %s into an archive: %w", f.name, err)
		}
	}
	err := w.Close()
	return content.Bytes(), err
}

// tarGzOf is tarOf, compressed.
func tarGzOf(files []file) ([]byte, error) {
	archive, err := tarOf(files)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	w, err := gzip.NewWriterLevel(&content, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(archive); err != nil {
		return nil, err
	}
	err = w.Close()
	return content.Bytes(), err
}

// filesBelow returns the regular files below a directory for which keep is true,
// with names below prefix. None is executable.
func filesBelow(dir, prefix string, keep func(name string) bool) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(found string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !keep(entry.Name()) {
			return err
		}
		content, err := os.ReadFile(found)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, found)
		if err != nil {
			return err
		}
		files = append(files, file{name: path.Join(prefix, filepath.ToSlash(relative)), content: content})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what is to be archived: %w", err)
	}
	return files, nil
}
