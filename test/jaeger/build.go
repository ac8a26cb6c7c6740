package jaeger

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// BinaryVariable names the environment variable that holds the absolute path of
// the Jaeger to use. A release of Jaeger, unlike what Build makes, has the web
// pages.
const BinaryVariable = "JAEGER_BINARY"

var tool = controlplane.Tool{
	Name:     "jaeger",
	Dir:      "test/jaeger/program",
	Module:   "github.com/jaegertracing/jaeger",
	Package:  "github.com/jaegertracing/jaeger/cmd/jaeger",
	Estimate: "8 minutes",
}

// Build returns the path of a Jaeger: that of [BinaryVariable] or, without it,
// one that is built now if it is not in the cache yet. One line per step goes to
// progress. When ctx ends, the build stops.
func Build(ctx context.Context, progress io.Writer) (program string, err error) {
	if given := os.Getenv(BinaryVariable); given != "" {
		return given, checkBinary(given)
	}
	return tool.Build(ctx, progress)
}

func checkBinary(path string) error {
	// Tests run in the directory of their package, so a relative path would be
	// another one there.
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%s=%s is a relative path: give an absolute one", BinaryVariable, path)
	}
	if _, err := exec.LookPath(path); err != nil {
		return fmt.Errorf("use %s=%s: it must be a program, or be unset to have one built: %w", BinaryVariable, path, err)
	}
	return nil
}
