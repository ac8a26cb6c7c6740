package outbound

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASecretIsTheFileWithoutItsLineEnd(t *testing.T) {
	for name, tc := range map[string]struct{ content, want, says string }{
		"plain":           {"hidden", "hidden", ""},
		"a line":          {"hidden\n", "hidden", ""},
		"a Windows line":  {"hidden\r\n", "hidden", ""},
		"spaces are kept": {" hid den \n", " hid den ", ""},
		"nothing":         {"", "", "is empty"},
		"a line end":      {"\n", "", "is empty"},
		"as large as can": {strings.Repeat("x", maxFileBytes), strings.Repeat("x", maxFileBytes), ""},
		"too large":       {strings.Repeat("x", maxFileBytes+1), "", "is larger than 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := ReadSecret(path)
			if got.reveal() != tc.want || (err == nil) != (tc.says == "") {
				t.Fatalf("ReadSecret = a text of %d bytes, %v; want one of %d", len(got.reveal()), err, len(tc.want))
			}
			if err != nil && (!strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), path)) {
				t.Errorf("ReadSecret = %v, want that to name the file and say that it %s", err, tc.says)
			}
		})
	}
}
