package parts

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the list of packages
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

//go:embed debian.txt
var debianList string

// Unpack returns a directory with containerd, runc, the CNI plugins and nftables as
// Debian packs them, which it downloads by apt-get and unpacks into the cache if
// they are not there yet. Nothing is installed.
func Unpack(ctx context.Context, progress io.Writer) (dir string, err error) {
	cache, err := controlplane.CacheDir()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(debianList))
	dir = filepath.Join(cache, "debian", hex.EncodeToString(hash[:])[:12])
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	packages := debianPackages(debianList)
	fmt.Fprintf(progress, "debian: downloading %d packages, some 36 MB; once per version\n", len(packages))
	if err := unpack(ctx, packages, dir); err != nil {
		return "", fmt.Errorf("get Debian's packages (they are listed in test/node/parts/debian.txt): %w", err)
	}
	return dir, nil
}

// debianPackages returns the packages as apt-get names them, name=version.
func debianPackages(list string) []string {
	var packages []string
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] != "#" {
			packages = append(packages, fields[0]+"="+fields[1])
		}
	}
	return packages
}

// unpack makes dir appear only once everything is in it.
func unpack(ctx context.Context, packages []string, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), ".unpack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	// The account that apt-get downloads as cannot reach a directory of root's.
	download := append([]string{"download", "--option=APT::Sandbox::User=root"}, packages...)
	if err := command(ctx, scratch, "apt-get", download...); err != nil {
		return fmt.Errorf("%w; if a version is gone, run apt-get update", err)
	}
	files, err := filepath.Glob(filepath.Join(scratch, "*.deb"))
	if err != nil {
		return err
	}
	root := filepath.Join(scratch, "root")
	for _, file := range files {
		if err := command(ctx, scratch, "dpkg-deb", "--extract", file, root); err != nil {
			return err
		}
	}
	return os.Rename(root, dir)
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(output.String()))
	}
	return nil
}
