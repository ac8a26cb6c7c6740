// Command pingsource_adapter is Knative's own adapter of all PingSources of a
// cluster, started as its cmd/mtping starts it but for one thing: the health
// probe server, which is fixed to :8080, is off.
package main

import (
	filteredfactory "knative.dev/pkg/client/injection/kube/informers/factory/filtered"
	"knative.dev/pkg/signals"

	"knative.dev/eventing/pkg/adapter/mtping"
	"knative.dev/eventing/pkg/adapter/v2"
	"knative.dev/eventing/pkg/auth"
	"knative.dev/eventing/pkg/eventingtls"
)

const component = "pingsource-mt-adapter"

func main() {
	ctx := mtping.NewDelayingContext(signals.NewContext(), mtping.GetNoShutDownAfterValue())
	ctx = adapter.WithHealthProbesDisabled(ctx)
	ctx = adapter.WithController(ctx, mtping.NewController)
	ctx = adapter.WithHAEnabled(ctx)
	ctx = adapter.WithConfigWatcherEnabled(ctx)
	ctx = adapter.WithConfiguratorOptions(ctx, []adapter.ConfiguratorOption{
		adapter.WithLoggerConfigurator(adapter.NewLoggerConfiguratorFromConfigMap(component)),
		adapter.WithObservabilityConfigurator(adapter.NewObservabilityConfiguratorFromConfigMap()),
		adapter.WithCloudEventsStatusReporterConfigurator(adapter.NewCloudEventsReporterConfiguratorFromConfigMap()),
	})
	ctx = filteredfactory.WithSelectors(ctx, auth.OIDCLabelSelector, eventingtls.TrustBundleLabelSelector)

	adapter.MainWithContext(ctx, component, mtping.NewEnvConfig, mtping.NewAdapter)
}
