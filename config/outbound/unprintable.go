package outbound

import (
	"fmt"
	"io"
)

// unprintable keeps fmt out of what embeds it: with some verbs that goes through
// pointers, to tokens and fingerprints, and reads them without their locks.
type unprintable struct{}

// Format writes a placeholder, whatever the verb.
func (unprintable) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }
