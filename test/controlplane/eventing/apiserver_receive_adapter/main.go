// Command apiserver_receive_adapter is Knative's own ApiServerSource receive
// adapter, started as its cmd/apiserver_receive_adapter starts it but for one
// thing: the health probe server, which is fixed to :8080, is off. So several
// adapters, and a handler, can run side by side on one machine.
package main

import (
	filteredfactory "knative.dev/pkg/client/injection/kube/informers/factory/filtered"
	"knative.dev/pkg/signals"

	"knative.dev/eventing/pkg/adapter/apiserver"
	"knative.dev/eventing/pkg/adapter/v2"
	"knative.dev/eventing/pkg/auth"
	"knative.dev/eventing/pkg/eventingtls"
)

func main() {
	ctx := adapter.WithInjectorEnabled(signals.NewContext())
	ctx = adapter.WithHealthProbesDisabled(ctx)
	ctx = filteredfactory.WithSelectors(ctx, auth.OIDCLabelSelector, eventingtls.TrustBundleLabelSelector)

	adapter.MainWithContext(ctx, "apiserversource", apiserver.NewEnvConfig, apiserver.NewAdapter)
}
