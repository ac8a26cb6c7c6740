// Command eventing_controllers is Knative's own controllers of the sources that
// this project's manifests have, in one process: of what its cmd/controller
// starts those of ApiServerSource, ContainerSource and PingSource, and of what
// its cmd/webhook starts that of SinkBinding, which a ContainerSource needs. The
// health probe server, which is fixed to :8080, is off.
package main

import (
	filteredfactory "knative.dev/pkg/client/injection/kube/informers/factory/filtered"
	"knative.dev/pkg/injection/sharedmain"
	"knative.dev/pkg/signals"

	"knative.dev/eventing/pkg/auth"
	"knative.dev/eventing/pkg/eventingtls"
	"knative.dev/eventing/pkg/reconciler/apiserversource"
	"knative.dev/eventing/pkg/reconciler/containersource"
	"knative.dev/eventing/pkg/reconciler/pingsource"
	"knative.dev/eventing/pkg/reconciler/sinkbinding"
)

func main() {
	ctx := filteredfactory.WithSelectors(signals.NewContext(), auth.OIDCLabelSelector, eventingtls.TrustBundleLabelSelector)
	ctx = sharedmain.WithHealthProbesDisabled(ctx)

	sharedmain.MainWithContext(ctx, "controller",
		apiserversource.NewController,
		containersource.NewController,
		pingsource.NewController,
		sinkbinding.NewController,
	)
}
