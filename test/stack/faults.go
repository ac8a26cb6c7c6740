package stack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// StopAdapters ends the adapters. What changes until StartAdapters is lost.
func (s *Stack) StopAdapters() error {
	var errs []error
	for _, adapter := range s.adapters {
		errs = append(errs, adapter.Stop(stopGrace))
	}
	s.adapters = nil
	return errors.Join(errs...)
}

// StartAdapters starts the adapters after StopAdapters and returns when every
// change will be sent. They end with ctx.
func (s *Stack) StartAdapters(ctx context.Context) error { return s.startAdapters(ctx) }

// KillHandler ends the handler by SIGKILL.
func (s *Stack) KillHandler(ctx context.Context) error {
	return kill(ctx, s.handler.Process)
}

// StartHandler starts the handler after KillHandler, where the adapters look for
// it. It fails where somebody else has taken the port meanwhile.
func (s *Stack) StartHandler(ctx context.Context, opts HandlerOptions) error {
	opts.Env = append([]string{"PORT=" + strings.TrimPrefix(s.handler.URL, "http://")}, opts.Env...)
	h, err := s.StartReplica(ctx, opts)
	if err != nil {
		return err
	}
	s.handler = h
	return nil
}

func kill(ctx context.Context, process *controlplane.Process) error {
	if err := process.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	if code, err := process.Wait(ctx); err != nil || code != -1 {
		return errors.Join(fmt.Errorf("it has ended by itself with exit code %d", code), err)
	}
	return nil
}
