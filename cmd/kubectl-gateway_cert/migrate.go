package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/config"
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
	access        *genericclioptions.ConfigFlags
	streams       genericiooptions.IOStreams
	allNamespaces bool
	apply         bool
	output        string
	settings      string
}

func newMigrate(access *genericclioptions.ConfigFlags, streams genericiooptions.IOStreams) *cobra.Command {
	m := &migrate{access: access, streams: streams}
	command := &cobra.Command{
		Use:                   "migrate [GATEWAY] [-n NAMESPACE | -A] [--apply]",
		Short:                 "Come from the gateway-cert-operator",
		Long:                  migrateLong,
		Example:               migrateExample,
		Args:                  cobra.MaximumNArgs(1),
		ValidArgsFunction:     cobra.NoFileCompletions,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			scope, err := m.scope(args)
			if err != nil {
				return err
			}
			return m.run(cmd.Context(), scope)
		},
	}
	flags := command.Flags()
	flags.BoolVarP(&m.allNamespaces, "all-namespaces", "A", false, "If present, the Gateways of all namespaces. The namespace in the current context is ignored even if specified with --namespace.")
	flags.BoolVar(&m.apply, "apply", false, "Set the labels and remove the stale listeners. Without it nothing is changed.")
	flags.StringVarP(&m.output, "output", "o", formatTable, "Output format. One of: (table, json, yaml).")
	flags.StringVar(&m.settings, "config", "", "The handler's settings file, whose defaults hold where a Gateway's owner says nothing.")
	return command
}

// scope says which Gateways are meant, and refuses what cannot be.
func (m *migrate) scope(args []string) (types.NamespacedName, error) {
	var scope types.NamespacedName
	if len(args) > 0 {
		scope.Name = args[0]
	}
	switch {
	case !isFormat(m.output):
		return scope, errors.New("--output must be table, json or yaml")
	case m.allNamespaces && scope.Name != "":
		return scope, errors.New("a Gateway cannot be retrieved by name across all namespaces")
	case m.allNamespaces:
		return scope, nil
	}
	namespace, _, err := m.access.ToRawKubeConfigLoader().Namespace()
	scope.Namespace = namespace
	return scope, err
}

// run reads, decides, acts if it is told to, and says what came of it.
func (m *migrate) run(ctx context.Context, scope types.NamespacedName) error {
	defaults, err := m.defaults()
	if err != nil {
		return err
	}
	server, err := connect(m.access)
	if err != nil {
		return err
	}
	in, err := server.read(ctx, scope)
	if err != nil {
		return err
	}
	in.Defaults = defaults
	r := reportOf(plan.Migrate(in))
	if m.apply {
		r.Applied = true
		err = server.apply(ctx, in.Gateways, &r)
	}
	if printErr := r.print(m.streams.Out, m.output, m.allNamespaces); printErr != nil {
		return errors.Join(err, printErr)
	}
	r.summarize(m.streams.ErrOut)
	if err == nil && r.pending() > 0 {
		return errPending
	}
	return err
}

func (m *migrate) defaults() (plan.Defaults, error) {
	if m.settings == "" {
		return plan.Defaults{}, nil
	}
	settings, err := config.Load(m.settings)
	return settings.GatewayDefaults(), err
}
