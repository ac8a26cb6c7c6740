package stack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
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

// buildHandler builds the handler that the options do not name.
func (s *Stack) buildHandler(ctx context.Context) (err error) {
	if s.opts.Handler == "" {
		s.opts.Handler, err = BuildHandler(ctx, s.dir, "-race")
	}
	return err
}

// HandlerOptions are what one handler has of its own.
type HandlerOptions struct {
	// Program is [Options.Handler] if it is empty.
	Program string
	Args    []string
	// Env is added to [Options.HandlerEnv], and counts where both set a variable.
	Env []string
}

// Handler is one handler's process.
type Handler struct {
	*controlplane.Process
	// URL is where it takes events.
	URL string
}

func (s *Stack) startHandler(ctx context.Context) (err error) {
	if _, err := s.accountKubeconfig(ctx, handlerAccount); err != nil {
		return err
	}
	s.handler, err = s.StartReplica(ctx, HandlerOptions{})
	return err
}

// StartReplica starts one more handler, which is the caller's to stop. The
// adapters do not know of it.
func (s *Stack) StartReplica(ctx context.Context, opts HandlerOptions) (*Handler, error) {
	log := &addressFinder{to: s.opts.HandlerLog, found: make(chan string, 1)}
	process, err := controlplane.StartProcess(controlplane.ProcessOptions{
		Name:   "handler",
		Path:   cmp.Or(opts.Program, s.opts.Handler),
		Args:   slices.Concat(s.opts.HandlerArgs, opts.Args),
		Env:    slices.Concat([]string{"KUBECONFIG=" + s.HandlerKubeconfig(), "PORT=127.0.0.1:0"}, s.opts.HandlerEnv, opts.Env),
		Output: log,
	})
	if err != nil {
		return nil, err
	}
	h := &Handler{Process: process}
	select {
	case address := <-log.found:
		h.URL = "http://" + address
		return h, nil
	case <-process.Done():
		return nil, fmt.Errorf("the handler ended before it listened; it said: %s", log.last())
	case <-time.After(startTimeout):
		err = fmt.Errorf("the handler did not listen within %s; it said: %s", startTimeout, log.last())
	case <-ctx.Done():
		err = fmt.Errorf("wait for the handler to listen: %w", ctx.Err())
	}
	return nil, errors.Join(err, process.Stop(stopGrace))
}

// addressFinder finds the address in the handler's log and passes the log on.
type addressFinder struct {
	to    io.Writer
	found chan string
	lastLine
}

func (f *addressFinder) Write(line []byte) (int, error) {
	_, _ = f.lastLine.Write(line)
	var entry struct{ Msg, Address string }
	if json.Unmarshal(line, &entry) == nil && entry.Msg == "listening" {
		f.found <- entry.Address
	}
	if f.to == nil {
		return len(line), nil
	}
	return f.to.Write(line)
}

// lastLine keeps the last line of a log.
type lastLine struct {
	mu   sync.Mutex
	line string
}

func (l *lastLine) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = string(line)
	return len(line), nil
}

func (l *lastLine) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.line
}
