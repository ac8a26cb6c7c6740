package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
)

var (
	// betweenDocuments begins a line that ends a YAML document or begins one.
	betweenDocuments = regexp.MustCompile(`(?m)^(?:---|\.\.\.)`)
	// content begins a line that is neither blank, nor a comment or directive.
	content = regexp.MustCompile(`(?m)^\s*[^\s#%]`)
)

// oneDocument refuses what the YAML parser would pass over in silence: nothing
// at all, and everything after the first document.
func oneDocument(data []byte) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // byte order mark
	documents := 0
	for _, document := range betweenDocuments.Split(string(data), -1) {
		if content.MatchString(document) {
			documents++
		}
	}
	switch documents {
	case 0:
		return fmt.Errorf("nothing in it: write at least apiVersion: %s and kind: %s", APIVersion, Kind)
	case 1:
		return nil
	}
	return errors.New("several YAML documents in it, parted by --- or ...: keep one")
}
