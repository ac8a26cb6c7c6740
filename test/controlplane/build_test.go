package controlplane

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProgramIsPutIntoTheCache(t *testing.T) {
	l := oneProgram(t, "package main\n\nfunc main() {}\n")
	if err := l.build(t.Context(), &outputTail{}); err != nil {
		t.Fatal(err)
	}
	if err := checkExecutable(l.dir, "demo"); err != nil {
		t.Error(err)
	}
}

func TestProgressNamesEachProgramWithItsVersion(t *testing.T) {
	var progress outputTail
	if err := oneProgram(t, "package main\n\nfunc main() {}\n").build(t.Context(), &progress); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(progress.String(), "[1/1] demo v1.2.3\n      done in ") {
		t.Errorf("progress is:\n%s", progress.String())
	}
}

func TestFailedBuildShowsTheCompilersWords(t *testing.T) {
	err := oneProgram(t, "package main\n\nfunc main() { missing() }\n").build(t.Context(), &outputTail{})
	if err == nil || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("the error is %v", err)
	}
}

func TestFailedBuildNamesTheModule(t *testing.T) {
	l := oneProgram(t, "package main\n\nfunc main() { missing() }\n")
	err := l.build(t.Context(), &outputTail{})
	if err == nil || !strings.Contains(err.Error(), "build demo in "+l.programs[0].dir) {
		t.Errorf("the error is %v", err)
	}
}

func TestFailedBuildLeavesNothingInTheCache(t *testing.T) {
	l := oneProgram(t, "package main\n\nfunc main() { missing() }\n")
	_ = l.build(t.Context(), &outputTail{})
	left, err := os.ReadDir(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the cache holds %v", left)
	}
}

func TestLongBuildKeepsTheTerminalAlive(t *testing.T) {
	var progress outputTail
	l := oneProgram(t, "package main\n\nfunc main() {}\n")
	c := compilation{program: l.programs[0], output: filepath.Join(t.TempDir(), "demo"), progress: &progress, heartbeat: time.Millisecond}
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(progress.String(), " so far") {
		t.Errorf("progress is:\n%s", progress.String())
	}
}

func TestBuildEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := oneProgram(t, "package main\n\nfunc main() {}\n").build(ctx, &outputTail{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestSecondBuildWaitsForTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := acquireLock(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	// The first build ends as soon as the second says that it waits.
	second, err := acquireLock(t.Context(), path, release)
	if err != nil {
		t.Fatal(err)
	}
	second()
}

func TestWaitingBuildEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := acquireLock(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := acquireLock(ctx, path, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// oneProgram returns a target with an empty directory and one small program.
func oneProgram(t *testing.T, source string) target {
	t.Helper()
	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"), "module demo\n\ngo 1.26\n")
	write(t, filepath.Join(module, "main.go"), source)
	return target{
		name:     "control plane",
		dir:      t.TempDir(),
		programs: []program{{name: "demo", version: "v1.2.3", dir: module, pkg: ".", ldflags: stripped}},
	}
}
