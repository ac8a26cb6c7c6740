package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// outputGrace is how long the output of a process that has ended is still
// waited for, should a grandchild hold it open.
const outputGrace = 2 * time.Second

// ProcessOptions describe a child process.
type ProcessOptions struct {
	// Name is used in errors.
	Name string
	// Path is the program, Args its arguments.
	Path string
	Args []string
	// Env is the whole environment as NAME=value; nothing is inherited, so that
	// a developer's proxy or OTEL_ settings do not change what is tested.
	Env []string
	// Output receives standard output and error, one whole line per Write; nil
	// drops them. Several processes may share one if it is safe for concurrent
	// use.
	Output io.Writer
}

// Process is a running child process. It dies with this process.
type Process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended and its output is read
	err  error         // set before done is closed, if its end could not be observed
}

// StartProcess starts a child process.
func StartProcess(opts ProcessOptions) (*Process, error) {
	lines := &lineWriter{to: opts.Output}
	cmd := exec.Command(opts.Path, opts.Args...)
	cmd.Env = append([]string{}, opts.Env...)
	cmd.Stdout, cmd.Stderr = lines, lines
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = outputGrace

	p := &Process{name: opts.Name, cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(lines, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", opts.Name, err)
	}
	return p, nil
}

// run starts the process and stays until it ends.
func (p *Process) run(lines *lineWriter, started chan<- error) {
	// The kernel sends the parent death signal when the thread that started
	// the child ends, so that thread is kept until then.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	err = p.cmd.Wait()
	lines.flush()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		p.err = err
	}
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends a signal. A process that has ended gives os.ErrProcessDone.
func (p *Process) Signal(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return fmt.Errorf("send %s to %s: %w", signal, p.name, err)
	}
	return nil
}

// Wait waits until the process has ended and returns its exit code, -1 if a
// signal ended it. It fails when ctx ends first.
func (p *Process) Wait(ctx context.Context) (exitCode int, err error) {
	select {
	case <-p.done:
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for %s (pid %d) to end: %w", p.name, p.PID(), context.Cause(ctx))
	}
	if p.err != nil {
		return 0, fmt.Errorf("wait for %s: %w", p.name, p.err)
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// Stop asks the process to end by SIGTERM and kills it if it has not within
// grace, which is an error. Stopping one that has ended does nothing.
func (p *Process) Stop(grace time.Duration) error {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.done
	return fmt.Errorf("stop %s: it had to be killed, SIGTERM did not end it within %s", p.name, grace)
}
