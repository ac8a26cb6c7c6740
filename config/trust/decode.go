package trust

import (
	"bytes"
	"encoding/base64"
	"errors"
)

// strict is without the leniency of the encoding/pem package, which takes white
// space within lines, and set bits after the last byte.
var strict = base64.StdEncoding.Strict()

// decode returns what the block's lines hold together, however long each is.
func (b *block) decode() ([]byte, error) {
	for i, line := range b.body {
		if len(line) == 0 {
			return nil, b.refuseLine(i, ReasonBase64)
		}
	}
	text := bytes.Join(b.body, nil)
	der := make([]byte, strict.DecodedLen(len(text)))
	n, err := strict.Decode(der, text)
	if err != nil {
		return nil, b.refuseLine(b.lineAt(err), ReasonBase64)
	}
	return der[:n], nil
}

// lineAt returns the index of the line that base64 has failed in.
func (b *block) lineAt(err error) int {
	var corrupt base64.CorruptInputError
	_ = errors.As(err, &corrupt) // there is no other kind
	offset := int(corrupt)
	for i, line := range b.body {
		if offset < len(line) {
			return i
		}
		offset -= len(line)
	}
	return len(b.body) - 1 // the padding is missing
}

func (b *block) refuseLine(index int, reason Reason) error {
	return &BundleError{Line: b.line + 1 + index, Block: b.number, Reason: reason}
}
