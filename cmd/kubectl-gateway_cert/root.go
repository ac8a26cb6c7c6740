package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/version"
)

// newRoot takes kubectl's own flags for every command.
func newRoot(streams genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:           "gateway-cert",
		Short:         "Look after the HTTPS listeners that Certificates ask for",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl gateway-cert"},
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true // it would complete the binary's name, not kubectl's
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w\nSee '%s --help' for usage", err, cmd.CommandPath())
	})
	access := genericclioptions.NewConfigFlags(true)
	access.AddFlags(root.PersistentFlags())
	must(root.RegisterFlagCompletionFunc("namespace", completeNamespaces(access)))
	must(root.RegisterFlagCompletionFunc("context", completeContexts(access)))
	must(root.RegisterFlagCompletionFunc("cluster", completeClusters(access)))
	must(root.RegisterFlagCompletionFunc("user", completeUsers(access)))
	root.AddCommand(
		newPlan(access, streams), newExplain(access, streams), newTree(access, streams),
		newSweep(streams), newReplay(streams), newMigrate(access, streams),
	)
	return root
}
