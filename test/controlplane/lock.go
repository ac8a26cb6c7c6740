package controlplane

import (
	"context"
	"fmt"
	"os"
	"time"
)

// lockPoll is how often a waiting build looks whether the lock is free. A
// blocking flock could not be left on Ctrl-C.
const lockPoll = 200 * time.Millisecond

// acquireLock takes the lock file at path, calling waiting once if another
// process holds it. The lock goes with the process that holds it, however that
// ends.
func acquireLock(ctx context.Context, path string, waiting func()) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the build lock (%s moves the cache): %w", CacheDirVariable, err)
	}
	for announced := false; ; {
		locked, err := tryLock(file)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if locked {
			return func() { file.Close() }, nil
		}
		if !announced {
			announced = true
			waiting()
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, fmt.Errorf("wait for the build that holds %s: %w", path, context.Cause(ctx))
		case <-time.After(lockPoll):
		}
	}
}
