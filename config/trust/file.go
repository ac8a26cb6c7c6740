package trust

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// File is the path of a bundle. It is read whenever it is resolved: under a
// mounted ConfigMap the kubelet puts another file there.
type File string

// Resolve reads the file, and no more of it than a bundle may have.
func (f File) Resolve(context.Context) (Bundle, error) {
	name := "file " + string(f)
	text, err := f.read()
	switch {
	case err == nil:
		return parse(name, text)
	case passing(err):
		return Bundle{}, &TransientError{name, err}
	default:
		return Bundle{}, &ConfigError{name, err}
	}
}

func (f File) read() ([]byte, error) {
	info, err := os.Stat(string(f))
	if err != nil {
		return nil, unread(err)
	}
	// To open a pipe would wait for whoever writes into it.
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no regular file; correct the path")
	}
	file, err := os.Open(string(f))
	if err != nil {
		return nil, unread(err)
	}
	defer file.Close()
	// One byte more than is allowed, for Parse to see it.
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, unread(err)
	}
	return text, nil
}

// unread says what to do, without the path, which the error's source is.
func unread(err error) error {
	var atPath *fs.PathError
	if errors.As(err, &atPath) {
		err = atPath.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("is not there (%w); mount it, or correct the path", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("may not be read (%w); change its mode or owner", err)
	default:
		return fmt.Errorf("cannot be read: %w", err)
	}
}

// passing tells errors that say nothing about the file, such as that too many
// are open.
func passing(err error) bool {
	var errno interface{ Temporary() bool }
	return errors.As(err, &errno) && errno.Temporary()
}
