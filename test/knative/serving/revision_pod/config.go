package main

import (
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	netcfg "knative.dev/networking/pkg/config"
	"knative.dev/pkg/configmap"
	"knative.dev/pkg/logging"
	"knative.dev/pkg/system"

	apiconfig "knative.dev/serving/pkg/apis/config"
	asconfig "knative.dev/serving/pkg/autoscaler/config"
	"knative.dev/serving/pkg/deployment"
	o11yconfigmap "knative.dev/serving/pkg/observability/configmap"
	"knative.dev/serving/pkg/reconciler/revision/config"
)

// controllerNamespace is where Knative Serving is installed.
const controllerNamespace = "knative-serving"

// shippedConfig is what the controller reads from ConfigMaps in which nothing is
// set but what has no default.
func shippedConfig() (*config.Config, error) {
	if err := os.Setenv(system.NamespaceEnvKey, controllerNamespace); err != nil {
		return nil, fmt.Errorf("set %s: %w", system.NamespaceEnvKey, err)
	}
	var maps []*corev1.ConfigMap
	for name, data := range map[string]map[string]string{
		apiconfig.DefaultsConfigName: nil,
		apiconfig.FeaturesConfigName: nil,
		asconfig.ConfigName:          nil,
		deployment.ConfigName:        {deployment.QueueSidecarImageKey: "queue-proxy"},
		logging.ConfigMapName():      nil,
		o11yconfigmap.Name():         nil,
		netcfg.ConfigMapName:         nil,
	} {
		maps = append(maps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data})
	}
	store := config.NewStore(quiet{})
	store.WatchConfigs(configmap.NewStaticWatcher(maps...))
	return store.Load(), nil
}

// quiet drops what the store says of each ConfigMap that it reads.
type quiet struct{}

func (quiet) Debugf(string, ...any)          {}
func (quiet) Infof(string, ...any)           {}
func (quiet) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (quiet) Errorf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
