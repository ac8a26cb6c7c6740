package stack

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kubectl runs kubectl as the admin, with stdin if it is not empty, and returns
// what it prints. The error holds what it says is wrong.
func (s *Stack) Kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.opts.Assets.Kubectl(), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig())
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

func (s *Stack) applyManifests(ctx context.Context) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	_, err = s.Kubectl(ctx, "", "apply", "-k", filepath.Join(root, filepath.FromSlash(s.opts.Manifests)))
	return err
}

func moduleRoot(ctx context.Context) (string, error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module's root by go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(gomod))), nil
}

// KubectlPath is the kubectl that goes with the API server.
func (s *Stack) KubectlPath() string { return s.opts.Assets.Kubectl() }
