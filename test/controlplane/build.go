package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Build makes the programs of the control plane that are not in the cache yet
// and returns where all of them lie. With everything there it takes a few
// milliseconds; else about a quarter of an hour on two cores the first time.
//
// One line per step goes to progress. Two builds at once do not collide: the
// second waits for the first. When ctx ends, the build stops and what was
// finished stays. Errors name the program and its module and carry the
// compiler's output.
func Build(ctx context.Context, progress io.Writer) (Assets, error) {
	l, err := readLayout(ctx)
	if err != nil {
		return Assets{}, err
	}
	if len(l.missing()) == 0 {
		return l.assets, nil
	}
	if err := os.MkdirAll(l.assets.Dir, 0o755); err != nil {
		return Assets{}, fmt.Errorf("create the cache (%s moves it): %w", CacheDirVariable, err)
	}
	unlock, err := acquireLock(ctx, l.assets.Dir+".lock", func() {
		fmt.Fprintln(progress, "control plane: waiting for another build of the same version to finish")
	})
	if err != nil {
		return Assets{}, err
	}
	defer unlock()
	return l.assets, l.build(ctx, progress)
}

// build compiles what is missing; the lock is held.
func (l layout) build(ctx context.Context, progress io.Writer) error {
	missing := l.missing()
	if len(missing) == 0 {
		return nil
	}
	scratch, err := os.MkdirTemp(l.assets.Dir, ".build-")
	if err != nil {
		return fmt.Errorf("create a directory for unfinished programs (%s moves the cache): %w", CacheDirVariable, err)
	}
	defer os.RemoveAll(scratch)

	fmt.Fprintf(progress, "control plane: building %d programs into %s\n", len(missing), l.assets.Dir)
	fmt.Fprintln(progress, "control plane: the first time takes about 15 minutes on 2 cores and downloads some hundred modules; once per version")
	for i, p := range missing {
		fmt.Fprintf(progress, "[%d/%d] %s %s\n", i+1, len(missing), p.name, p.version)
		start := time.Now()
		built := filepath.Join(scratch, p.name)
		if err := (compilation{program: p, output: built, progress: progress, heartbeat: heartbeat}).run(ctx); err != nil {
			return err
		}
		// Only a whole program gets the final name, so a name in the cache
		// always stands for a program that works.
		if err := os.Rename(built, filepath.Join(l.assets.Dir, p.name)); err != nil {
			return fmt.Errorf("put %s into the cache: %w", p.name, err)
		}
		fmt.Fprintf(progress, "      done in %s\n", seconds(time.Since(start)))
	}
	return nil
}
