package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/deliver"
)

const sweepLong = `Have the handler look at every Gateway now, as it does every ten minutes anyway.

Sends one ping, the CloudEvent of the PingSource, to --url. The handler answers
when it has looked at all and written what was to be written:

  204  each Gateway is as it should be, or a reason is told why it cannot be
  503  something failed or took too long; the handler's log says what
  401  the handler takes events of known senders only, and wants a token
  403  it does not know the token's account

With --wait it waits for the answer, up to --timeout, and asks again as long as
that is 503. Without it it waits five seconds, so that a wrong address or a
refusal is told, and leaves the rest to the handler. A handler that has to start
first may then never get the ping: what stands before it in Knative drops the
request of a sender that is gone. So use --wait where it may be at zero pods.

The handler has no address outside the cluster. Without --url you are told how to
reach it.

Exit codes: 0 it is done or, without --wait, sent; 1 it is not.`

const sweepExample = `  # Behind kubectl port-forward
  kubectl gateway-cert sweep --wait --url http://localhost:8080

  # Where the handler takes events of known senders only
  kubectl gateway-cert sweep --wait --url http://localhost:8080 --token-file <(kubectl -n gateway-cert \
    create token gateway-cert-source --audience serving.knative.dev/service/gateway-cert/gateway-cert-handler)`

// sweeping is what the command sweep is told.
type sweeping struct {
	destination
	streams genericiooptions.IOStreams
	wait    bool
}

const (
	// sweepTimeout is twice what the handler may take, and it has to start.
	sweepTimeout = 2 * time.Minute
	// sweepGlance is how long the answer is waited for without --wait.
	sweepGlance = 5 * time.Second
)

func newSweep(streams genericiooptions.IOStreams) *cobra.Command {
	s := &sweeping{streams: streams}
	command := &cobra.Command{
		Use:                   "sweep --url URL [--wait]",
		Short:                 "Have the handler look at every Gateway now",
		Long:                  sweepLong,
		Example:               sweepExample,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	s.addFlags(command, sweepTimeout)
	command.Flags().BoolVar(&s.wait, "wait", false, "Wait for the answer, and ask again while it is 503.")
	return command
}

func (s *sweeping) run(ctx context.Context) error {
	target, err := s.target()
	if err != nil {
		return err
	}
	sender := deliver.Sender{Target: target, Transport: s.transport, Tries: 1}
	patience := min(s.timeout, sweepGlance)
	if s.wait {
		sender.Tries, patience = 0, s.timeout
		sender.Again = func(a deliver.Answer, pause time.Duration) {
			fmt.Fprintf(s.streams.ErrOut, "%s; asking again in %s\n", a, pause)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	fmt.Fprintf(s.streams.ErrOut, "Asking %s to look at every Gateway; waiting up to %s.\n", s.url, patience)
	start := time.Now()
	return s.conclude(sender.Send(ctx, deliver.Ping()), time.Since(start))
}

func (s *sweeping) conclude(a deliver.Answer, took time.Duration) error {
	switch {
	case a.Taken():
		fmt.Fprintf(s.streams.Out, "%s in %s: each Gateway is as it should be, or a reason is told why it cannot be.\n", a, took.Round(100*time.Millisecond))
		return nil
	case errors.Is(a.Err, deliver.ErrNotWaitedFor) && !s.wait:
		fmt.Fprintln(s.streams.Out, "Sent. The handler has not answered yet, and without --wait it is not waited for.")
		return nil
	}
	return errors.New("no sweep: " + a.String())
}
