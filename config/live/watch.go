package live

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Watch returns a channel that something comes from after each change in the
// file's directory, until ctx ends. That is where a ConfigMap's volume is swapped:
// there the file is a link to one in ..data, which is a link to the directory of
// a version. An error is that the kernel gives no watch.
func Watch(ctx context.Context, file string) (<-chan struct{}, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch the settings: %w", err)
	}
	directory := filepath.Dir(file)
	if err := watcher.Add(directory); err != nil {
		return nil, fmt.Errorf("watch the settings' directory %s: %w", directory, closing(watcher, err))
	}
	touched := make(chan struct{}, 1)
	go func() {
		defer watcher.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-watcher.Events:
			case <-watcher.Errors: // events were lost, for one
			}
			select {
			case touched <- struct{}{}:
			default: // nobody has looked since the last one
			}
		}
	}()
	return touched, nil
}

func closing(watcher *fsnotify.Watcher, err error) error {
	_ = watcher.Close() // the error at hand says more
	return err
}
