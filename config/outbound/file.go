package outbound

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ReadSecret reads a file of at most 64 KiB, such as one of a mounted Secret. The
// line end that editors put there is no part of it. An error names the file, and
// that it is empty is one.
func ReadSecret(path string) (Secret, error) {
	content, err := readBounded(path)
	if err != nil {
		return Secret{}, err
	}
	text := strings.TrimRight(string(content), "\r\n")
	if text == "" {
		return Secret{}, fmt.Errorf("%s is empty", path)
	}
	return NewSecret(text), nil
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d KiB", path, maxFileBytes>>10)
	}
	return content, nil
}
