package overlays

import (
	"context"
	"errors"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/rights"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	sourceUser = "system:serviceaccount:" + stack.Namespace + ":gateway-cert-source"

	// adapterSays is how long an adapter may take to watch, or to be refused.
	adapterSays = time.Minute
)

var errRefused = errors.New("the adapter was refused")

// Of Certificates an ApiServerSource needs one right more: test/knative/sources.
func TestTheAdapterNeedsEachRight(t *testing.T) {
	source := rights.User{Config: system.Config(), Name: sourceUser}
	t.Cleanup(func() { change(t, singleSource) })
	withoutStreaming(t)
	for _, taken := range rights.Of(t, "../../"+singleSource, "gateway-cert-source") {
		t.Run(taken.String(), func(t *testing.T) {
			namespace.Must(t, system.StopAdapters())
			source.Take(t, taken)
			if err := startRefused(taken); !errors.Is(err, errRefused) {
				t.Errorf("without it no adapter is refused: %v", err)
			}
		})
	}
}

// startRefused starts the adapters and returns errRefused when one is refused what
// was taken. It may be so only once it has listed what there is.
func startRefused(taken rights.Right) error {
	ctx, cancel := context.WithTimeout(system.ctx, adapterSays)
	defer cancel()
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	system.log.onLine(func() { refuse(errRefused) },
		taken.Resource+"."+taken.Group+" is forbidden", "cannot "+taken.Verb+" resource")
	defer system.log.onLine(nil)
	if err := system.StartAdapters(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// withoutStreaming has the adapter list by LIST, as it does with an API server that
// does not stream lists: one that does is asked for a watch alone.
func withoutStreaming(t *testing.T) {
	t.Helper()
	_, err := system.Kubectl(t.Context(), "", "patch", "containersource", "gateways", "-n", stack.Namespace, "--type=json",
		"-p", `[{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "KUBE_FEATURE_WatchListClient", "value": "false"}}]`)
	namespace.Must(t, err)
}
