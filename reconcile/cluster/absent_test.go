package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// A server stands in for a proxy that has lost its API server, which the real
// one cannot be driven to.
func TestA404ThatIsNotTheAPIServersIsNoAbsence(t *testing.T) {
	proxy := httptest.NewServer(http.NotFoundHandler())
	defer proxy.Close()
	c, err := cluster.New(&rest.Config{Host: proxy.URL}, noop.NewTracerProvider())
	namespace.Must(t, err)
	if _, err := c.Gateway(t.Context(), types.NamespacedName{Namespace: "infra", Name: "edge"}); err == nil || apierrors.IsNotFound(err) {
		t.Errorf("Gateway = %v, want an error that is not NotFound", err)
	}
	if found, err := c.Namespaces(t.Context(), []string{"infra"}); err == nil {
		t.Errorf("Namespaces = %v, want an error", found)
	}
	query := cluster.CertificateQuery{Gateway: types.NamespacedName{Namespace: "infra", Name: "edge"}, Admit: all}
	if found, err := c.CertificatesOf(t.Context(), query); err == nil {
		t.Errorf("CertificatesOf = %v, want an error", found)
	}
	if found, err := c.ManagedGateways(t.Context()); err == nil {
		t.Errorf("ManagedGateways = %v, want an error", found)
	}
}
