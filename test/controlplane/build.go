package controlplane

import (
	"context"
	"io"
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
	return l.assets, l.target().ensure(ctx, progress)
}
