package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// interruptGrace is how long an interrupted go command may take to remove its
// temporary files.
const interruptGrace = 10 * time.Second

// goCommand is one call of the go command that is found on PATH.
type goCommand struct {
	dir  string // working directory; empty for the caller's
	args []string
}

// prepare returns the command, which is interrupted, not killed, when ctx
// ends.
func (c goCommand) prepare(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", c.args...)
	cmd.Dir = c.dir
	// A workspace file of the user's would replace the nested modules' own
	// version choices.
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = interruptGrace
	return cmd
}

// output returns what the command prints, without surrounding white space.
func (c goCommand) output(ctx context.Context) (string, error) {
	cmd := c.prepare(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", c.failure(err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}

func (c goCommand) failure(err error, stderr string) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("run go: %w; install Go and put it on PATH", err)
	}
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		return fmt.Errorf("go %s: %w\n%s", c.args[0], err, stderr)
	}
	return fmt.Errorf("go %s: %w", c.args[0], err)
}
