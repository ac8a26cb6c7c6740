package main

import (
	"fmt"
	"os"

	"k8s.io/client-go/tools/clientcmd"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// namespaceFile is where a pod finds the namespace that it runs in.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// trustedBy returns the sources that the settings name. Nothing is read yet.
func trustedBy(settings config.Trust) (trust.Sources, error) {
	var sources trust.Sources
	for _, path := range settings.Files {
		sources = append(sources, trust.File(path))
	}
	if !settings.ReadsConfigMaps() {
		return sources, nil
	}
	client, namespace, err := ownConfigMaps()
	if err != nil {
		return nil, fmt.Errorf("set up the reading of ConfigMaps: %w", err)
	}
	for _, from := range settings.ConfigMaps {
		sources = append(sources, trust.Cached(trust.ConfigMap{Client: client, Namespace: namespace, Name: from.Name, Key: from.Key}, trust.DefaultMaxAge))
	}
	if settings.KnativeBundles {
		sources = append(sources, trust.Cached(trust.KnativeBundles{Client: client, Namespace: namespace}, trust.DefaultMaxAge))
	}
	return sources, nil
}

// ownConfigMaps returns a client, and the namespace of this process. The client
// makes no spans: to send them it would be asked again.
func ownConfigMaps() (trust.Client, string, error) {
	access, err := clusterConfig()
	if err != nil {
		return trust.Client{}, "", err
	}
	client, err := trust.NewClient(access)
	if err != nil {
		return trust.Client{}, "", err
	}
	namespace, err := ownNamespace()
	return client, namespace, err
}

// ownNamespace is that of the kubeconfig's context, or of the pod.
func ownNamespace() (string, error) {
	if path := os.Getenv("KUBECONFIG"); path != "" {
		rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
		namespace, _, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).Namespace()
		return namespace, err
	}
	namespace, err := os.ReadFile(namespaceFile)
	return string(namespace), err
}
