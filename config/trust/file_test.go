package trust_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// mounted is a directory as the kubelet makes it of a ConfigMap: the file is a
// link into ..data, and that a link to the current contents.
type mounted struct {
	t       *testing.T
	dir     string
	version int
}

func mount(t *testing.T, text string) *mounted {
	t.Helper()
	m := &mounted{t: t, dir: t.TempDir()}
	m.swap(text)
	m.must(os.Symlink(filepath.Join("..data", "ca.crt"), m.path()))
	return m
}

func (m *mounted) path() string { return filepath.Join(m.dir, "ca.crt") }

// swap puts other contents there, all at once.
func (m *mounted) swap(text string) {
	m.t.Helper()
	m.version++
	contents := "..version" + strings.Repeat("I", m.version)
	m.must(os.Mkdir(filepath.Join(m.dir, contents), 0o700))
	m.must(os.WriteFile(filepath.Join(m.dir, contents, "ca.crt"), []byte(text), 0o600))
	next := filepath.Join(m.dir, "..data_tmp")
	m.must(os.Symlink(contents, next))
	m.must(os.Rename(next, filepath.Join(m.dir, "..data")))
}

func (m *mounted) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func resolve(t *testing.T, source trust.Source) trust.Bundle {
	t.Helper()
	bundle, err := source.Resolve(t.Context())
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	return bundle
}

// wantConfigError wants an error that no retry heals and that says all of this.
func wantConfigError(t *testing.T, err error, says ...string) {
	t.Helper()
	var config *trust.ConfigError
	if !errors.As(err, &config) || temporary(err) {
		t.Fatalf("the error is %T, %v; want a ConfigError", err, err)
	}
	wantWords(t, err, says...)
}

// wantTransientError wants an error that a retry may heal and that says all of this.
func wantTransientError(t *testing.T, err error, says ...string) {
	t.Helper()
	var transient *trust.TransientError
	if !errors.As(err, &transient) || !temporary(err) {
		t.Fatalf("the error is %T, %v; want a TransientError", err, err)
	}
	wantWords(t, err, says...)
}

// temporary is how a package sees the error that does not import this one.
func temporary(err error) bool {
	var told interface{ Temporary() bool }
	return errors.As(err, &told) && told.Temporary()
}

func wantWords(t *testing.T, err error, says ...string) {
	t.Helper()
	for _, word := range says {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error is %q, want %q in it", err, word)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %q", err)
	}
}

func TestAFileIsReadAnewEachTime(t *testing.T) {
	m := mount(t, authority(t, "a"))
	file := trust.File(m.path())
	for _, text := range []string{authority(t, "b"), authorities(t, "b", "c"), ""} {
		resolve(t, file)
		m.swap(text)
		if got, want := resolve(t, file), parse(t, text); got.Digest() != want.Digest() {
			t.Errorf("after the swap it is\n%s\nwant\n%s", got.PEM(), want.PEM())
		}
	}
}

func TestAFileThatBecomesMalformedIsAnErrorAndHealsAgain(t *testing.T) {
	m := mount(t, authority(t, "a"))
	file := trust.File(m.path())
	m.swap(authority(t, "a") + "junk")
	_, err := file.Resolve(t.Context())
	wantConfigError(t, err, "file "+m.path()+": line 9, after block 1: ")
	m.swap(authority(t, "b"))
	resolve(t, file)
}

func TestAFileThatCannotBeReadIsAConfigError(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	pipe := filepath.Join(dir, "pipe")
	for _, err := range []error{
		os.WriteFile(large, []byte(strings.Repeat("\n", trust.MaxBytes+1)), 0o600),
		syscall.Mkfifo(pipe, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct{ path, says string }{
		"a missing one":           {filepath.Join(dir, "missing"), "is not there (no such file or directory); mount it"},
		"one below a file":        {filepath.Join(large, "ca.crt"), "cannot be read: not a directory"},
		"a directory":             {dir, "is no regular file"},
		"a pipe without a writer": {pipe, "is no regular file"},
		"one that is too large":   {large, "larger than 512 KiB"},
		"no path":                 {"", "is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := trust.File(tc.path).Resolve(t.Context())
			wantConfigError(t, err, "file "+tc.path+": ", tc.says)
		})
	}
}

func TestAFileOfSomebodyElseIsAConfigError(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(path, nil, 0); err != nil {
		t.Fatal(err)
	}
	_, err := trust.File(path).Resolve(t.Context())
	wantConfigError(t, err, "may not be read (permission denied)")
}

// An endless file shall not fill the memory before its size is seen.
func TestAFileIsReadNoFurtherThanItsLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sparse")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1 << 40); err != nil {
		t.Skip("no sparse files here:", err)
	}
	_, err = trust.File(path).Resolve(t.Context())
	wantConfigError(t, err, "larger than 512 KiB")
}

func TestAMissingFileCanBeToldByItsCause(t *testing.T) {
	_, err := trust.File(filepath.Join(t.TempDir(), "missing")).Resolve(t.Context())
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}
