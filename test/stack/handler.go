package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// startTimeout is far above the fraction of a second that the handler takes to
// listen, also with the race detector on a busy machine.
const startTimeout = 30 * time.Second

// BuildHandler compiles the handler into dir and returns its path. flags are
// those of go build.
func BuildHandler(ctx context.Context, dir string, flags ...string) (string, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "gateway-cert-handler")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o", path, "./cmd/gateway-cert-handler")...)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the handler: %w\n%s", err, output)
	}
	return path, nil
}

func (s *Stack) startHandler(ctx context.Context) error {
	kubeconfig, err := s.accountKubeconfig(ctx, handlerAccount)
	if err != nil {
		return err
	}
	log := &addressFinder{to: s.opts.HandlerLog, found: make(chan string, 1)}
	s.handler, err = controlplane.StartProcess(controlplane.ProcessOptions{
		Name:   "handler",
		Path:   s.opts.Handler,
		Env:    append([]string{"KUBECONFIG=" + kubeconfig, "PORT=127.0.0.1:0"}, s.opts.HandlerEnv...),
		Output: log,
	})
	if err != nil {
		return err
	}
	select {
	case address := <-log.found:
		s.handlerURL = "http://" + address
		return nil
	case <-s.handler.Done():
		return fmt.Errorf("the handler ended before it listened; it said: %s", log.last())
	case <-time.After(startTimeout):
		return fmt.Errorf("the handler did not listen within %s; it said: %s", startTimeout, log.last())
	case <-ctx.Done():
		return fmt.Errorf("wait for the handler to listen: %w", ctx.Err())
	}
}

// addressFinder finds the address in the handler's log and passes the log on.
type addressFinder struct {
	to    io.Writer
	found chan string

	mu   sync.Mutex
	line string
}

func (f *addressFinder) Write(line []byte) (int, error) {
	f.mu.Lock()
	f.line = string(line)
	f.mu.Unlock()
	var entry struct{ Msg, Address string }
	if json.Unmarshal(line, &entry) == nil && entry.Msg == "listening" {
		f.found <- entry.Address
	}
	if f.to == nil {
		return len(line), nil
	}
	return f.to.Write(line)
}

func (f *addressFinder) last() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.line
}
