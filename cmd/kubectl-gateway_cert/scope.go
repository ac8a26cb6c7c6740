package main

import (
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// scope is which Gateways a command is about, and what holds for them all.
type scope struct {
	access        *genericclioptions.ConfigFlags
	allNamespaces bool
	settings      string
}

func (s *scope) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVarP(&s.allNamespaces, "all-namespaces", "A", false, "If present, the Gateways of all namespaces. The namespace in the current context is ignored even if specified with --namespace.")
	s.addSettingsFlag(command)
}

func (s *scope) addSettingsFlag(command *cobra.Command) {
	command.Flags().StringVar(&s.settings, "config", "", "The handler's settings file, whose defaults hold where a Gateway's owner says nothing, and whose rules hold everywhere.")
}

// gateways says which are meant, and refuses what cannot be. An empty part of the
// name stands for all.
func (s *scope) gateways(args []string) (types.NamespacedName, error) {
	var name types.NamespacedName
	if len(args) > 0 {
		name.Name = args[0]
	}
	switch {
	case s.allNamespaces && name.Name != "":
		return name, errors.New("a Gateway cannot be retrieved by name across all namespaces")
	case s.allNamespaces:
		return name, nil
	}
	var err error
	name.Namespace, err = s.namespace()
	return name, err
}

// namespace is that of -n, else of the context.
func (s *scope) namespace() (string, error) {
	namespace, _, err := s.access.ToRawKubeConfigLoader().Namespace()
	return namespace, err
}

// defaults takes rules in every build: the plugin judges for handlers of both.
func (s *scope) defaults() (plan.Defaults, error) {
	if s.settings == "" {
		return plan.Defaults{}, nil
	}
	settings, err := config.Load(s.settings, config.WithRules(rules.Compile))
	return settings.GatewayDefaults(), err
}
