// Package kubectl calls kubectl.
package kubectl

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Kubectl is a kubectl for one cluster.
type Kubectl struct {
	// Path is the program's, and Kubeconfig the cluster's file.
	Path, Kubeconfig string
}

// Run calls kubectl with stdin, and returns what it prints. The error holds what
// it says is wrong.
func (k Kubectl) Run(ctx context.Context, stdin []byte, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, k.Path, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+k.Kubeconfig)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
