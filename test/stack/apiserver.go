package stack

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// ErrNoAPIServer is returned where the API server's process cannot be found:
// with an existing cluster, and where there is no /proc.
var ErrNoAPIServer = errors.New("the API server is no child of this process that /proc shows")

const (
	apiServerPoll   = 50 * time.Millisecond
	apiServerStarts = 5
)

// PauseAPIServer stops the API server's process without ending it.
func (s *Stack) PauseAPIServer(ctx context.Context) error { return s.signalAPIServer(ctx, "-STOP") }

// ResumeAPIServer lets it go on.
func (s *Stack) ResumeAPIServer(ctx context.Context) error { return s.signalAPIServer(ctx, "-CONT") }

// KillAPIServer ends the API server by SIGKILL; its etcd runs on.
func (s *Stack) KillAPIServer(ctx context.Context) error {
	pid, args, err := s.findAPIServer()
	if err != nil {
		return err
	}
	if err := signalProcess(ctx, pid, "-KILL"); err != nil {
		return err
	}
	s.apiServerArgs = args
	for {
		if _, _, err := s.findAPIServer(); errors.Is(err, ErrNoAPIServer) {
			return nil
		}
		select {
		case <-time.After(apiServerPoll):
		case <-ctx.Done():
			return fmt.Errorf("wait for the API server to end: %w", ctx.Err())
		}
	}
}

// StartAPIServer starts the API server after KillAPIServer, with the arguments
// that it had, and returns when it is ready. It ends with Stop.
func (s *Stack) StartAPIServer(ctx context.Context) error {
	// Clients that try to connect again and again may hold its port for a moment:
	// as their own end of a connection.
	var errs []error
	for range apiServerStarts {
		err := s.startAPIServer(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (s *Stack) startAPIServer(ctx context.Context) (err error) {
	var log lastLine
	s.apiServer, err = controlplane.StartProcess(controlplane.ProcessOptions{
		Name: "kube-apiserver", Path: s.apiServerArgs[0], Args: s.apiServerArgs[1:], Output: &log,
	})
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return fmt.Errorf("make a client for the API server: %w", err)
	}
	for {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(apiServerPoll):
		case <-s.apiServer.Done():
			return fmt.Errorf("the API server ended before it was ready; it said: %s", log.last())
		case <-ctx.Done():
			return fmt.Errorf("wait for the API server to be ready: %w", err)
		}
	}
}

func (s *Stack) signalAPIServer(ctx context.Context, signal string) error {
	pid, _, err := s.findAPIServer()
	if err != nil {
		return err
	}
	return signalProcess(ctx, pid, signal)
}

func signalProcess(ctx context.Context, pid int, signal string) error {
	if output, err := exec.CommandContext(ctx, "kill", signal, strconv.Itoa(pid)).CombinedOutput(); err != nil {
		return fmt.Errorf("kill %s %d: %w: %s", signal, pid, err, output)
	}
	return nil
}

// findAPIServer returns the child that serves at the address of Config. Package
// envtest, which has started it, keeps its process to itself.
func (s *Stack) findAPIServer() (pid int, args []string, err error) {
	address, err := url.Parse(s.Config().Host)
	if err != nil {
		return 0, nil, fmt.Errorf("read the API server's address: %w", err)
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, nil, err
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
		if filepath.Base(args[0]) != "kube-apiserver" || !slices.Contains(args, "--secure-port="+address.Port()) || !isChild(filepath.Dir(file)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		return pid, args, err
	}
	return 0, nil, ErrNoAPIServer
}

func isChild(dir string) bool {
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	return err == nil && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", os.Getpid()))
}
