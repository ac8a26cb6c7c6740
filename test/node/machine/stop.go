package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Stop ends all processes of the node and removes what it has left: cgroups, the
// cable and the state directory. It does nothing where there is no node.
func Stop(ctx context.Context, state string) error {
	if _, err := os.Stat(state); err != nil {
		return nil //nolint:nilerr // no node
	}
	node, alive, err := readIdentity(state)
	if err != nil {
		return err
	}
	if alive {
		if err := end(ctx, node); err != nil {
			return err
		}
	}
	return errors.Join(retry(ctx, removeCgroups), disconnect(ctx), removeState(ctx, state))
}

// end kills process 1, with which the kernel kills all others of its namespace.
// Only when they are gone is it gone itself.
func end(ctx context.Context, node identity) error {
	if err := syscall.Kill(node.pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("end the node, process %d: %w", node.pid, err)
	}
	return retry(ctx, func() error {
		alive, err := node.alive()
		if err == nil && alive {
			err = fmt.Errorf("the node, process %d, has not ended", node.pid)
		}
		return err
	})
}

func disconnect(ctx context.Context) error {
	if _, err := os.Stat("/sys/class/net/" + hostLink); err != nil {
		return nil //nolint:nilerr // the kernel has removed it with the other end
	}
	return ip(ctx, "link", "delete", hostLink)
}

// removeState waits for the kernel to let go of mounts below the directory.
func removeState(ctx context.Context, state string) error {
	return retry(ctx, func() error {
		if err := os.RemoveAll(state); err != nil {
			return fmt.Errorf("remove the node's files: %w", err)
		}
		return nil
	})
}

const (
	patience = 20 * time.Second
	pause    = 50 * time.Millisecond
)

// retry does until it succeeds, or patience is over.
func retry(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
