package main

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/clientcmd/api"
)

// completionTime is how long a person waits for names at most.
const completionTime = 3 * time.Second

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeGateways completes the one argument.
func completeGateways(access *genericclioptions.ConfigFlags) completion {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		gateways := schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}
		return namesOf(cmd.Context(), access, gateways, prefix)
	}
}

// completeCertificates completes certificate/NAME.
func completeCertificates(access *genericclioptions.ConfigFlags) completion {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		kind, name, hasKind := strings.Cut(prefix, "/")
		switch {
		case !hasKind && strings.HasPrefix("certificate/", prefix):
			return []string{"certificate/"}, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		case !isCertificate(kind):
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		certificates := schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}
		found, directive := namesOf(cmd.Context(), access, certificates, name)
		for i := range found {
			found[i] = kind + "/" + found[i]
		}
		return found, directive
	}
}

// completeNamespaces completes -n.
func completeNamespaces(access *genericclioptions.ConfigFlags) completion {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return namesOf(cmd.Context(), access, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, prefix)
	}
}

// completeContexts completes --context.
func completeContexts(access *genericclioptions.ConfigFlags) completion {
	return completeEntries(access, func(config api.Config) iter.Seq[string] { return maps.Keys(config.Contexts) })
}

// completeClusters completes --cluster.
func completeClusters(access *genericclioptions.ConfigFlags) completion {
	return completeEntries(access, func(config api.Config) iter.Seq[string] { return maps.Keys(config.Clusters) })
}

// completeUsers completes --user.
func completeUsers(access *genericclioptions.ConfigFlags) completion {
	return completeEntries(access, func(config api.Config) iter.Seq[string] { return maps.Keys(config.AuthInfos) })
}

// completeEntries completes what stands in the kubeconfig.
func completeEntries(access *genericclioptions.ConfigFlags, names func(api.Config) iter.Seq[string]) completion {
	return func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		config, err := access.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return nothing(err)
		}
		return starting(slices.Sorted(names(config)), prefix), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesOf reads the names of objects, in the namespace of the flags if the resource
// has namespaces. What fails goes to the debug file of the completion.
func namesOf(ctx context.Context, access *genericclioptions.ConfigFlags, resource schema.GroupVersionResource, prefix string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	config, err := access.ToRESTConfig()
	if err != nil {
		return nothing(err)
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nothing(err)
	}
	namespace := ""
	if resource.Resource != "namespaces" {
		if namespace, _, err = access.ToRawKubeConfigLoader().Namespace(); err != nil {
			return nothing(err)
		}
	}
	var names []string
	err = eachPage(ctx, metav1.ListOptions{}, client.Resource(resource).Namespace(namespace).List, func(page *metav1.PartialObjectMetadataList) {
		for i := range page.Items {
			names = append(names, page.Items[i].Name)
		}
	})
	if err != nil {
		return nothing(err)
	}
	return starting(names, prefix), cobra.ShellCompDirectiveNoFileComp
}

func starting(names []string, prefix string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

func nothing(err error) ([]string, cobra.ShellCompDirective) {
	cobra.CompDebugln(err.Error(), false)
	return nil, cobra.ShellCompDirectiveNoFileComp
}
