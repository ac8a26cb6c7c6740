package config

import (
	"bytes"
	"fmt"
	"regexp"
)

var (
	// betweenDocuments begins a line that ends a YAML document or begins one.
	betweenDocuments = regexp.MustCompile(`(?m)^(?:---|\.\.\.)`)
	// content begins a line that is neither blank, nor a comment or directive.
	content = regexp.MustCompile(`(?m)^\s*[^\s#%]`)
)

// oneDocument finds what the YAML parser would pass over in silence: nothing at
// all, and everything after the first document.
func oneDocument(data []byte) []finding {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // byte order mark
	documents, begin := 0, 0
	for _, marker := range append(betweenDocuments.FindAllIndex(data, -1), []int{len(data), len(data)}) {
		if content.Match(data[begin:marker[0]]) {
			documents++
		}
		if documents == 2 {
			line := 1 + bytes.Count(data[:begin], []byte("\n"))
			return []finding{{message: "several YAML documents in it, parted by --- or ...: keep one", known: place{line, 1}}}
		}
		begin = marker[1]
	}
	if documents == 0 {
		message := fmt.Sprintf("nothing in it: write at least apiVersion: %s and kind: %s", APIVersion, Kind)
		return []finding{{message: message, known: place{1, 1}}}
	}
	return nil
}
