package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

const importPath = "gateway-cert-operator.io/gateway-cert-handler/test/controlplane"

// sourceDir returns the directory of this package's source, where the nested
// modules lie.
func sourceDir(ctx context.Context) (string, error) {
	// With -trimpath the compiler records no usable path, and go list has to
	// find the package from the working directory.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if _, err := os.Stat(file); err == nil {
			return filepath.Dir(file), nil
		}
	}
	dir, err := goCommand{args: []string{"list", "-f", "{{.Dir}}", importPath}}.output(ctx)
	if err != nil {
		return "", fmt.Errorf("find the source of %s (run inside the project's tree): %w", importPath, err)
	}
	return dir, nil
}
