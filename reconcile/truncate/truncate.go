// Package truncate shortens texts that others have written, and that are to stand
// where there is little room: in a line of a log, an Event, a span.
package truncate

import "unicode/utf8"

const ellipsis = "…"

// Text shortens a text to at most limit bytes, between two characters, and shows
// by "…" that it did. The limit must be at least the 3 bytes of that.
func Text(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return Prefix(text, limit-len(ellipsis)) + ellipsis
}

// Prefix is the first limit bytes of a text at most, cut between two characters.
func Prefix(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
