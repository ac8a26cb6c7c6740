// Package golden compares what a test has made with a file beside it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Check fails the test unless the file under testdata holds just the text. With
// the flag -update it writes the file instead.
func Check(tb testing.TB, file, text string) {
	tb.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("read what is wanted (go test -update writes it): %v", err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		tb.Errorf("output (-%s +got):\n%s", path, diff)
	}
}
