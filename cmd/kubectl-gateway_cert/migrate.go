package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const migrateLong = `Come from the gateway-cert-operator, which took its orders from annotations and
kept no ledger.

Shows, for each Gateway, the Certificates that name it by annotation only and
the labels that would name it to the handler, and what becomes of the listeners
that the gateway-cert-operator has left: the handler takes over what a
Certificate asks for, and what nothing asks for any more is stale.

Without --apply nothing is changed. With it the labels are set and the stale
listeners are removed, and nothing else is written.

Certificates are read in all namespaces, because those of any may ask for a
listener.

Exit codes: 0 there is nothing to do, or it has been done; 2 there is something
to do; 1 something failed.`

const migrateExample = `  # What is there to do for the Gateways of namespace infra?
  kubectl gateway-cert migrate -n infra

  # Do it for one of them
  kubectl gateway-cert migrate edge -n infra --apply

  # All Gateways, judged with the defaults that the handler will have
  kubectl gateway-cert migrate -A --config config.yaml -o yaml`

// migrate is what the command is told.
type migrate struct {
	scope
	output
	streams genericiooptions.IOStreams
	apply   bool
}

func newMigrate(access *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams) *cobra.Command {
	m := &migrate{scope: scope{access: access}, streams: streams}
	command := &cobra.Command{
		Use:                   "migrate [GATEWAY] [-n NAMESPACE | -A] [--apply]",
		Short:                 "Come from the gateway-cert-operator",
		Long:                  migrateLong,
		Example:               migrateExample,
		Args:                  cobra.MaximumNArgs(1),
		ValidArgsFunction:     completeGateways(access),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := m.format()
			if err != nil {
				return err
			}
			gateways, err := m.gateways(args)
			if err != nil {
				return err
			}
			return m.run(cmd.Context(), gateways, format)
		},
	}
	m.scope.addFlags(command)
	m.output.addFlag(command, screen.Table, screen.JSON, screen.YAML)
	command.Flags().BoolVar(&m.apply, "apply", false, "Set the labels and remove the stale listeners. Without it nothing is changed.")
	return command
}

// run reads, decides, acts if it is told to, and says what came of it.
func (m *migrate) run(ctx context.Context, gateways types.NamespacedName, format screen.Format) error {
	defaults, err := m.defaults()
	if err != nil {
		return err
	}
	server, err := connect(m.access)
	if err != nil {
		return err
	}
	in, err := server.read(ctx, gateways)
	if err != nil {
		return err
	}
	in.Defaults = defaults
	r := reportOf(plan.Migrate(in))
	if m.apply {
		r.Applied = true
		err = server.apply(ctx, in.Gateways, &r)
	}
	if printErr := r.print(m.streams.Out, format, m.allNamespaces); printErr != nil {
		return errors.Join(err, printErr)
	}
	r.summarize(m.streams.ErrOut)
	if err == nil && r.pending() > 0 {
		return errPending
	}
	return err
}
