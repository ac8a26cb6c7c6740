package knative_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// text is YAML as it stands in a file: all of it, or one fence of a document.
type text struct {
	where, content string
}

// textsIn finds all YAML below a directory, fences in Markdown included.
func textsIn(root string) ([]text, error) {
	var texts []text
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == ".git" || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		kind := filepath.Ext(path)
		if kind != ".yaml" && kind != ".yml" && kind != ".md" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if kind == ".md" {
			for i, fence := range fences(string(data)) {
				texts = append(texts, text{fmt.Sprintf("%s, fence %d", path, i+1), fence})
			}
			return nil
		}
		texts = append(texts, text{path, string(data)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the YAML below %s: %w", root, err)
	}
	return texts, nil
}

var yamlFence = regexp.MustCompile("(?ms)^ *(```+|~~~+) *ya?ml[^\n]*\n(.*?)^ *(```+|~~~+) *$")

// betweenDocuments is the line that parts the documents of one file.
var betweenDocuments = regexp.MustCompile(`(?m)^---.*$`)

// fences are the YAML blocks of a Markdown document.
func fences(document string) []string {
	var found []string
	for _, match := range yamlFence.FindAllStringSubmatch(document, -1) {
		found = append(found, match[2])
	}
	return found
}
