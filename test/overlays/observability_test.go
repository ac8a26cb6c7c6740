package overlays

import (
	"context"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// Where its spans go the adapter is told by a variable alone. That the handler goes
// on with its trace is for test/e2e.
func TestATraceBeginsAtTheSource(t *testing.T) {
	traces, err := collector.Start()
	namespace.Must(t, err)
	t.Cleanup(func() { _ = traces.Close() })
	namespace.Must(t, system.StopAdapters())
	t.Cleanup(func() { change(t, singleSource) })
	applyComponent(t, "observability", configMap{"gateway-cert-collector", "endpoint", traces.Endpoint()})
	namespace.Must(t, system.StartAdapters(system.ctx))

	in := namespace.New(t, system.Config())
	served(t, in, "edge", nil)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := traces.Wait(ctx, beginsAtTheSource); err != nil {
		t.Error(err)
	}
}

func beginsAtTheSource(trace collector.Trace) bool {
	roots := trace.Roots()
	return len(roots) == 1 && roots[0].ParentID == "" && roots[0].Service != telemetry.ServiceName
}
