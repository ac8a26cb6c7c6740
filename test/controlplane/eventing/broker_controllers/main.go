// Command broker_controllers is Knative's own controllers of a Broker of class
// MTChannelBasedBroker and of the channel in memory below it, in one process:
// what its cmd/mtchannel_broker, cmd/in_memory/channel_controller and, for the
// Subscriptions between them, cmd/controller start. The health probe server,
// which is fixed to :8080, is off.
package main

import (
	filteredfactory "knative.dev/pkg/client/injection/kube/informers/factory/filtered"
	"knative.dev/pkg/injection/sharedmain"
	"knative.dev/pkg/signals"

	"knative.dev/eventing/pkg/auth"
	"knative.dev/eventing/pkg/eventingtls"
	"knative.dev/eventing/pkg/reconciler/broker"
	trigger "knative.dev/eventing/pkg/reconciler/broker/trigger"
	inmemorychannel "knative.dev/eventing/pkg/reconciler/inmemorychannel/controller"
	"knative.dev/eventing/pkg/reconciler/subscription"
)

func main() {
	ctx := filteredfactory.WithSelectors(signals.NewContext(), auth.OIDCLabelSelector, eventingtls.TrustBundleLabelSelector)
	ctx = sharedmain.WithHealthProbesDisabled(ctx)

	sharedmain.MainWithContext(ctx, "controller",
		broker.NewController,
		trigger.NewController,
		inmemorychannel.NewController,
		subscription.NewController,
	)
}
