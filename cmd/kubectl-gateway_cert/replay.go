package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/deliver"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

const replayLong = `Send recorded or undelivered CloudEvents to the handler.

FILE, or standard input for -, holds CloudEvents in JSON: one, one on each line, or
a batch in brackets. They are sent to --url one after the other, each with a line
that says what became of it. An event that is answered 503 is sent six times, as
Knative does, before it is given up.

An event only says that something changed, and the handler looks at what is there
now. So old ones do no harm, and after a sweep they change nothing. What stands in
FILE before something that cannot be read has been sent.

The handler has no address outside the cluster. Without --url you are told how to
reach it.

Exit codes: 0 each event was taken; 1 one was not, or FILE could not be read.`

const replayExample = `  # An undelivered event that the JobSink keeps, NAME being its Job
  kubectl -n gateway-cert get secret NAME -o go-template='{{.data.event | base64decode}}' |
    kubectl gateway-cert replay - --url http://localhost:8080

  # Recorded ones
  kubectl gateway-cert replay events.jsonl --url http://localhost:8080`

// replaying is what the command replay is told.
type replaying struct {
	destination
	streams genericiooptions.IOStreams
}

const (
	// replayTries is how often Knative's sources send an event.
	replayTries = 6
	// replayTimeout is for one event: what the handler may take, more than once.
	replayTimeout = 2 * time.Minute
)

func newReplay(streams genericiooptions.IOStreams) *cobra.Command {
	r := &replaying{streams: streams}
	command := &cobra.Command{
		Use:                   "replay (FILE | -) --url URL",
		Short:                 "Send recorded or undelivered events to the handler",
		Long:                  replayLong,
		Example:               replayExample,
		Args:                  cobra.ExactArgs(1),
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args[0]) },
	}
	r.addFlags(command, replayTimeout)
	return command
}

func (r *replaying) run(ctx context.Context, file string) error {
	target, err := r.target()
	if err != nil {
		return err
	}
	in := r.streams.In
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		defer opened.Close()
		in = opened
	}
	sender := &deliver.Sender{Target: target, Transport: r.transport, Tries: replayTries}
	sender.Again = func(a deliver.Answer, pause time.Duration) {
		fmt.Fprintf(r.streams.ErrOut, "%s; sending again in %s\n", a, pause)
	}
	return r.sendAll(ctx, sender, in)
}

func (r *replaying) sendAll(ctx context.Context, sender *deliver.Sender, in io.Reader) error {
	taken, refused := 0, 0
	var failed error
	for e, err := range deliver.Read(in) {
		if err != nil {
			failed = err
			break
		}
		a := r.sendOne(ctx, sender, e)
		fmt.Fprintf(r.streams.Out, "%d  %s  %s\n", taken+refused+1, screen.Clean(subject(e)), a)
		if a.Taken() {
			taken++
		} else {
			refused++
		}
		if ctx.Err() != nil {
			failed = errors.New("interrupted")
			break
		}
	}
	fmt.Fprintf(r.streams.ErrOut, "%s sent: %d taken, %d not.\n", counted(taken+refused, "event"), taken, refused)
	switch {
	case failed != nil:
		return failed
	case refused > 0:
		return fmt.Errorf("%s not taken", counted(refused, "event"))
	}
	return nil
}

func (r *replaying) sendOne(ctx context.Context, sender *deliver.Sender, e event.Event) deliver.Answer {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	return sender.Send(ctx, e)
}

// subject says what an event is about: its object if it names one, else its type
// and id.
func subject(e event.Event) string {
	extension := func(name string) string {
		text, _ := e.Extensions()[name].(string)
		return text
	}
	if name := extension(knative.ExtensionName); name != "" {
		return fmt.Sprintf("%.64s %.64s/%.253s", extension(knative.ExtensionKind), extension(knative.ExtensionNamespace), name)
	}
	return fmt.Sprintf("%.64s %.64s", e.Type(), e.ID())
}
