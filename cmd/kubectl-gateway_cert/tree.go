package main

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/tree"
)

const treeLong = `Show Gateways with their listeners, and the Certificates and Secrets behind them.

Each listener is marked as ours, which the handler keeps, or as user-owned, which
it does not touch. Certificates that name the Gateway and have no listener on it
come last, with the reason; kubectl gateway-cert explain says more.

Secrets are not read. What is told of one stands in the status of its
Certificate. -o wide adds the conditions that the Gateway's controller has set,
and messages.

Exit codes: 0 all could be told; 1 something failed, or a right was missing.`

const treeExample = `  # The Gateways of namespace infra
  kubectl gateway-cert tree -n infra

  # All of the cluster, with conditions
  kubectl gateway-cert tree -A -o wide`

// showing is what the command tree is told.
type showing struct {
	scope
	output
	streams genericiooptions.IOStreams
}

func newTree(access *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams) *cobra.Command {
	s := &showing{scope: scope{access: access}, streams: streams}
	command := &cobra.Command{
		Use:                   "tree [GATEWAY] [-n NAMESPACE | -A]",
		Short:                 "Show Gateways with their listeners, Certificates and Secrets",
		Long:                  treeLong,
		Example:               treeExample,
		Args:                  cobra.MaximumNArgs(1),
		ValidArgsFunction:     completeGateways(access),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := s.format()
			if err != nil {
				return err
			}
			gateways, err := s.gateways(args)
			if err != nil {
				return err
			}
			return s.run(cmd.Context(), gateways, format)
		},
	}
	s.scope.addFlags(command)
	s.output.addFlag(command, screen.Table, screen.Wide, screen.JSON, screen.YAML)
	return command
}

func (s *showing) run(ctx context.Context, gateways types.NamespacedName, format screen.Format) error {
	look, names, err := s.lookAt(ctx, gateways)
	if err != nil {
		return err
	}
	r := tree.Of(look.View, names)
	warnOf(s.streams.ErrOut, r.MissingRights)
	if err := screen.Show(s.streams.Out, r, format); err != nil {
		return err
	}
	if len(r.MissingRights) > 0 {
		return errCannotTell
	}
	return nil
}
