package jaeger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// placeholder is what stands where the web pages would be in a program that was
// built without them.
const placeholder = "not compiled with the UI assets"

// HasPages tells whether this Jaeger has web pages for people.
func (s *Server) HasPages(ctx context.Context) (bool, error) {
	page, err := s.read(ctx, "/")
	if err != nil {
		return false, fmt.Errorf("look for Jaeger's web pages: %w", err)
	}
	return !strings.Contains(string(page), placeholder), nil
}

// PageURL is the web page of one trace, where there are pages.
func (s *Server) PageURL(id string) string { return s.url + "/trace/" + id }

// Logfmt returns the tags as the search page takes them.
func (s Search) Logfmt() string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		pairs = append(pairs, key+"="+s.Tags[key])
	}
	return strings.Join(pairs, " ")
}
