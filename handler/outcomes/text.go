package outcomes

import "strings"

// firstLine leaves out the stack that follows the words of a panic.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// isPlain reports whether a text can be the value of an HTTP header as it is. The
// HTTP binding of CloudEvents 1.0 (section 3.1.3.2) has all but printable ASCII
// encoded, and " and % too, but few receivers decode; it also has spaces encoded,
// which no header minds within a value.
func isPlain(text string) bool {
	encoded := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '%' }
	return text != "" && text == strings.TrimSpace(text) && !strings.ContainsFunc(text, encoded)
}
