package faults

import (
	"testing"

	"go.opentelemetry.io/otel/trace/noop"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// needOrder skips a test that takes for granted that what a run has seen is answered
// without another. Where resourceVersions have no order, before Kubernetes 1.35, a
// Gateway's own event brings a marker's listener too, before the Certificates' events
// have all arrived, and each event costs a look.
func needOrder(t *testing.T) {
	t.Helper()
	apiServer, err := cluster.New(system.Config(), noop.NewTracerProvider())
	must(t, err)
	if !apiServer.OrdersVersions(t.Context()) {
		t.Skip("this API server's resourceVersions have no order")
	}
}
