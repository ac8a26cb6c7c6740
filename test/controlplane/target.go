package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// target is a directory of the cache and the programs that belong into it.
type target struct {
	name     string // what people call it
	estimate string // how long the first build takes
	dir      string
	programs []program
}

// missing returns the programs that are still to be built.
func (t target) missing() []program {
	var missing []program
	for _, p := range t.programs {
		if checkExecutable(t.dir, p.name) != nil {
			missing = append(missing, p)
		}
	}
	return missing
}

// ensure builds what is missing, unless another process does so already, and
// then waits for that.
func (t target) ensure(ctx context.Context, progress io.Writer) error {
	if len(t.missing()) == 0 {
		return nil
	}
	if err := os.MkdirAll(t.dir, 0o755); err != nil {
		return fmt.Errorf("create the cache (%s moves it): %w", CacheDirVariable, err)
	}
	unlock, err := acquireLock(ctx, t.dir+".lock", func() {
		fmt.Fprintf(progress, "%s: waiting for another build of the same version to finish\n", t.name)
	})
	if err != nil {
		return err
	}
	defer unlock()
	return t.build(ctx, progress)
}

// build compiles what is missing; the lock is held.
func (t target) build(ctx context.Context, progress io.Writer) error {
	missing := t.missing()
	if len(missing) == 0 {
		return nil
	}
	scratch, err := os.MkdirTemp(t.dir, ".build-")
	if err != nil {
		return fmt.Errorf("create a directory for unfinished programs (%s moves the cache): %w", CacheDirVariable, err)
	}
	defer os.RemoveAll(scratch)

	fmt.Fprintf(progress, "%s: building into %s\n", t.name, t.dir)
	fmt.Fprintf(progress, "%s: the first time takes about %s on 2 cores and downloads some hundred modules; once per version\n", t.name, t.estimate)
	for i, p := range missing {
		fmt.Fprintf(progress, "[%d/%d] %s %s\n", i+1, len(missing), p.name, p.version)
		start := time.Now()
		built := filepath.Join(scratch, p.name)
		if err := (compilation{program: p, output: built, progress: progress, heartbeat: heartbeat}).run(ctx); err != nil {
			return err
		}
		// Only a whole program gets the final name, so a name in the cache
		// always stands for a program that works.
		if err := os.Rename(built, filepath.Join(t.dir, p.name)); err != nil {
			return fmt.Errorf("put %s into the cache: %w", p.name, err)
		}
		fmt.Fprintf(progress, "      done in %s\n", seconds(time.Since(start)))
	}
	return nil
}
