package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/configmap"
	"knative.dev/pkg/logging"
	"knative.dev/pkg/system"

	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	o11yconfigmap "knative.dev/eventing/pkg/observability/configmap"
	"knative.dev/eventing/pkg/reconciler/apiserversource/resources"
	reconcilersource "knative.dev/eventing/pkg/reconciler/source"
)

const (
	// controllerNamespace is where Knative Eventing is installed.
	controllerNamespace = "knative-eventing"
	// component is the name under which the controller looks for a log level.
	component = "apiserversource"
	// skipPermissions is the annotation that has the controller make an
	// adapter that fails at once.
	skipPermissions = "features.knative.dev/apiserversource-skip-permissions-check"
)

func adapterEnv(source *sourcesv1.ApiServerSource, opts options) ([]corev1.EnvVar, error) {
	// Set even if it is set: a test package among Knative's imports does that
	// in its init.
	if err := os.Setenv(system.NamespaceEnvKey, controllerNamespace); err != nil {
		return nil, fmt.Errorf("set %s: %w", system.NamespaceEnvKey, err)
	}
	namespaces, all, err := watchedNamespaces(source, opts.namespaces)
	if err != nil {
		return nil, err
	}
	deployment, err := resources.MakeReceiveAdapter(&resources.ReceiveAdapterArgs{
		Source:        source,
		Labels:        resources.Labels(source.Name),
		SinkURI:       opts.sink,
		Configs:       configs(opts),
		Namespaces:    namespaces,
		AllNamespaces: all,
		FailFast:      source.Annotations[skipPermissions] == "true",
	})
	if err != nil {
		return nil, fmt.Errorf("make the adapter's Deployment: %w", err)
	}
	return deployment.Spec.Template.Spec.Containers[0].Env, nil
}

// watchedNamespaces decides as the controller does: without a selector the
// source's own namespace, with an empty one all, else those selected.
func watchedNamespaces(source *sourcesv1.ApiServerSource, selected []string) (names []string, all bool, err error) {
	selector := source.Spec.NamespaceSelector
	switch {
	case selector == nil && len(selected) > 0:
		return nil, false, fmt.Errorf("ApiServerSource %s has no namespaceSelector and watches its own namespace %s only: leave out --namespaces",
			source.Name, source.Namespace)
	case selector == nil:
		return []string{source.Namespace}, false, nil
	case len(selector.MatchLabels) == 0 && len(selector.MatchExpressions) == 0:
		return selected, true, nil
	case len(selected) == 0:
		return nil, false, fmt.Errorf("ApiServerSource %s selects namespaces by label: say which by --namespaces", source.Name)
	default:
		return selected, false, nil
	}
}

func configs(opts options) *reconcilersource.ConfigWatcher {
	return reconcilersource.WatchConfigurations(context.Background(), component, configmap.NewStaticWatcher(
		configMap(logging.ConfigMapName(), opts.logging),
		configMap(o11yconfigmap.Name(), opts.observability),
	))
}

func configMap(name string, data settings) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}
