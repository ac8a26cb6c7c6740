package controlplane

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// buildFlags are given to every build. Without -trimpath the compiled packages
// would depend on where the tree lies, and be compiled again for each.
const buildFlags = "-trimpath -buildvcs=false"

// heartbeat is how long the terminal may stay silent during a build.
const heartbeat = 15 * time.Second

// compilation is one go build.
type compilation struct {
	program
	output    string // path of the result
	progress  io.Writer
	heartbeat time.Duration
}

func (c compilation) run(ctx context.Context) error {
	command := goCommand{dir: c.dir, args: []string{
		"build", "-trimpath", "-buildvcs=false", "-ldflags", c.ldflags, "-o", c.output, c.pkg,
	}}
	cmd := command.prepare(ctx)
	var stderr outputTail
	cmd.Stdout, cmd.Stderr = &stderr, &stderr

	stop := c.report(&stderr)
	err := cmd.Run()
	stop()
	if ctx.Err() != nil {
		return fmt.Errorf("build %s: %w; the next run goes on from here", c.name, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("build %s in %s: %w", c.name, c.dir, command.failure(err, stderr.String()))
	}
	return nil
}

// report prints a line per heartbeat until the returned function is called.
func (c compilation) report(output *outputTail) (stop func()) {
	start := time.Now()
	ticker := time.NewTicker(c.heartbeat)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				line := fmt.Sprintf("      %s so far  %s", seconds(time.Since(start)), output.lastLine())
				fmt.Fprintln(c.progress, strings.TrimRight(line, " "))
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-done
	}
}

func seconds(d time.Duration) time.Duration { return d.Round(time.Second) }
