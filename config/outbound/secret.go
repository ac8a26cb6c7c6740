package outbound

import (
	"fmt"
	"io"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a text that no way of printing shows: not fmt, not log/slog, not an
// encoder. Its zero value is the empty text.
type Secret struct {
	// A pointer, because fmt goes past the methods of what stands in an unexported
	// field, and then prints the address.
	text *string
}

// NewSecret returns a Secret of a text.
func NewSecret(text string) Secret { return Secret{&text} }

// IsEmpty tells whether there is no text.
func (s Secret) IsEmpty() bool { return s.reveal() == "" }

// String returns a placeholder.
func (Secret) String() string { return redacted }

// Format writes a placeholder, whatever the verb.
func (Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, redacted) }

// LogValue returns a placeholder.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns a placeholder; encoding/json and encoding/xml ask for it.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

func (s Secret) reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}
