package cluster

import "unicode/utf8"

// cut shortens a text to at most limit bytes, between two characters, and shows
// by "…" that it did. The limit must be at least the 3 bytes of that.
func cut(text string, limit int) string {
	const ellipsis = "…"
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
