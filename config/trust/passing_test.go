package trust

import (
	"io/fs"
	"syscall"
	"testing"
)

// A process that has too many files open cannot be had in a test without harm to
// the others.
func TestWhatSaysNothingAboutTheFilePasses(t *testing.T) {
	for errno, want := range map[syscall.Errno]bool{
		syscall.EMFILE: true, syscall.ENFILE: true, syscall.EINTR: true,
		syscall.ENOENT: false, syscall.EACCES: false, syscall.ENOTDIR: false,
	} {
		if got := passing(unread(&fs.PathError{Op: "open", Path: "x", Err: errno})); got != want {
			t.Errorf("%v passes: %v, want %v", errno, got, want)
		}
	}
}
