package machine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// namespaces are what the node has of its own.
const namespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC

// Possible tells by trying whether this machine lets a node be: some that call
// themselves root, such as in a container, may neither mount nor make cgroups. It
// leaves nothing behind.
func Possible(ctx context.Context) error {
	parents, err := hierarchies()
	if err != nil {
		return err
	}
	probe := filepath.Join(parents[0], cgroup+"-probe")
	if err := os.Mkdir(probe, 0o755); err != nil {
		return fmt.Errorf("make a cgroup, as a node needs: %w", err)
	}
	defer os.Remove(probe)
	cmd := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "tmpfs", "/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces, Unshareflags: syscall.CLONE_NEWNS}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mount in a namespace, as a node does: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}
