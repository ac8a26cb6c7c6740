package trust

import (
	"fmt"
	"strings"
	"unicode"
)

// BundleError is why a bundle is void, and where.
type BundleError struct {
	// Line counts from 1. It is 0 for what the bundle as a whole is refused for.
	Line int
	// Block counts from 1. It is 0 before the first BEGIN line.
	Block int
	// Outside is set where the line is not one of the block, but comes after it.
	Outside bool
	Reason  Reason
	// Detail is the label of the block, the subject of the certificate, or what
	// its parser said; at most 64 printable characters, or empty. Nothing else
	// of the bundle is ever in an error.
	Detail string
}

// Error is one line: where, what, and the way out.
func (e *BundleError) Error() string {
	what, wayOut, _ := strings.Cut(string(e.Reason), "; ")
	if e.Detail != "" {
		what = fmt.Sprintf("%s (%s)", what, e.Detail)
	}
	return e.place() + what + "; " + wayOut
}

func (e *BundleError) place() string {
	switch {
	case e.Line == 0:
		return ""
	case e.Block == 0:
		return fmt.Sprintf("line %d, before the first block: ", e.Line)
	case e.Outside:
		return fmt.Sprintf("line %d, after block %d: ", e.Line, e.Block)
	default:
		return fmt.Sprintf("line %d, in block %d: ", e.Line, e.Block)
	}
}

// maxDetail is how many characters of a bundle an error may hold.
const maxDetail = 64

// printable cuts a text, and makes it fit to stand in a line of a log.
func printable(text string) string {
	var kept strings.Builder
	count := 0
	for _, char := range text {
		if count == maxDetail-1 {
			kept.WriteRune('…')
			break
		}
		if !unicode.IsPrint(char) {
			char = '?'
		}
		kept.WriteRune(char)
		count++
	}
	return kept.String()
}
