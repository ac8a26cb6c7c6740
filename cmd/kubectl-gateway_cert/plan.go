package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/diff"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
)

const planLong = `Show what the handler would change on Gateways, and why, by the same rules.

Without a name these are the Gateways of the namespace that have the handler's
label or that a Certificate names. Lines begin with + for a listener that would
come, ~ for one that would differ, with its fields before and after, - for one
that would go, and ! for what is refused, with the reason. Each has its impact:
Additive, where no listener that stands is touched; Changing, where one serves on
and differs; Disruptive, where what one serves ends. -o wide adds why, what would
stay, and notes.

Of a Gateway in a dry run it shows what would change if that ended.

Nothing is changed, and nothing is read but what you may read. Where a right is
missing a warning names it, and whatever cannot be told is taken to stay as it is.
What the API server or a policy would refuse is known only if it has been
refused before.

Exit codes: 0 nothing would change; 2 something would; 1 something failed, or a
right was missing to tell. (kubectl diff has 1 for differences and more for
failures. 2 is as in migrate, and as in terraform plan -detailed-exitcode.)`

const planExample = `  # What would change in namespace infra?
  kubectl gateway-cert plan -n infra

  # On one Gateway, and what would stay as it is
  kubectl gateway-cert plan edge -n infra -o wide

  # Before the handler's settings are changed
  kubectl gateway-cert plan -A --config config.yaml`

// planning is what the command plan is told.
type planning struct {
	scope
	output
	streams genericiooptions.IOStreams
}

func newPlan(access *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams) *cobra.Command {
	p := &planning{scope: scope{access: access}, streams: streams}
	command := &cobra.Command{
		Use:                   "plan [GATEWAY] [-n NAMESPACE | -A]",
		Short:                 "Show what the handler would change, and why",
		Long:                  planLong,
		Example:               planExample,
		Args:                  cobra.MaximumNArgs(1),
		ValidArgsFunction:     completeGateways(access),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := p.format()
			if err != nil {
				return err
			}
			gateways, err := p.gateways(args)
			if err != nil {
				return err
			}
			return p.run(cmd.Context(), gateways, format)
		},
	}
	p.scope.addFlags(command)
	p.output.addFlag(command, screen.Table, screen.Wide, screen.JSON, screen.YAML)
	return command
}

// run reads, plans, prints, and says by its error what came of it.
func (p *planning) run(ctx context.Context, gateways types.NamespacedName, format screen.Format) error {
	look, names, err := p.lookAt(ctx, gateways)
	if err != nil {
		return err
	}
	r := diff.Of(look.View, names)
	warnOf(p.streams.ErrOut, r.MissingRights)
	if err := screen.Show(p.streams.Out, r, format); err != nil {
		return err
	}
	fmt.Fprintln(p.streams.ErrOut, r.Summary())
	switch {
	case r.Pending():
		return errPending
	case len(r.MissingRights) > 0:
		return errCannotTell
	}
	return nil
}

// lookAt reads what bears on the Gateways, and names those to be shown.
func (s *scope) lookAt(ctx context.Context, gateways types.NamespacedName) (*look, []types.NamespacedName, error) {
	defaults, err := s.defaults()
	if err != nil {
		return nil, nil, err
	}
	server, err := connect(s.access)
	if err != nil {
		return nil, nil, err
	}
	l := server.look(defaults)
	if err := l.around(ctx, gateways); err != nil {
		return nil, nil, err
	}
	if gateways.Name == "" {
		return l, l.Concerned(gateways.Namespace), nil
	}
	if l.Gateways[gateways] == nil && !l.Hidden[gateways] && len(l.CertificatesOf(gateways)) == 0 {
		return nil, nil, fmt.Errorf("there is no Gateway %s, and no Certificate that names it", gateways)
	}
	return l, []types.NamespacedName{gateways}, nil
}

// errCannotTell says that nothing failed but what was not allowed.
var errCannotTell = errors.New("not all could be told, for want of the rights above")
