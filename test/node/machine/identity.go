package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// identity is a process's number and when it started: the number alone may have
// become another's.
type identity struct {
	pid     int
	started string // in ticks since boot, as /proc has it
}

func identityFile(state string) string { return filepath.Join(state, "init.pid") }

func writeIdentity(state string, pid int) error {
	started, err := startOf(pid)
	if err != nil {
		return err
	}
	if err := os.WriteFile(identityFile(state), fmt.Appendf(nil, "%d %s\n", pid, started), 0o600); err != nil {
		return fmt.Errorf("note the node's process: %w", err)
	}
	return nil
}

// readIdentity returns the node's process 1; false if there is none any more.
func readIdentity(state string) (identity, bool, error) {
	text, err := os.ReadFile(identityFile(state))
	if errors.Is(err, fs.ErrNotExist) {
		return identity{}, false, nil
	}
	if err != nil {
		return identity{}, false, fmt.Errorf("read which process is the node: %w", err)
	}
	var i identity
	if _, err := fmt.Sscan(string(text), &i.pid, &i.started); err != nil {
		return identity{}, false, fmt.Errorf("read which process is the node from %s: %w", identityFile(state), err)
	}
	alive, err := i.alive()
	return i, alive, err
}

func (i identity) alive() (bool, error) {
	started, err := startOf(i.pid)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return started == i.started, err
}

// startOf returns field 22 of /proc/PID/stat, see proc_pid_stat(5).
func startOf(pid int) (string, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", fmt.Errorf("look at process %d: %w", pid, err)
	}
	// The second field, the name in parentheses, may hold anything.
	rest := string(text[strings.LastIndexByte(string(text), ')')+1:])
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return "", fmt.Errorf("look at process %d: unexpected %q", pid, text)
	}
	if fields[0] == "Z" { // dead, and not yet waited for
		return "", fmt.Errorf("look at process %d: %w", pid, fs.ErrNotExist)
	}
	return fields[19], nil
}
