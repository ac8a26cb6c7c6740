package docs

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/gateway-cert-handler/notice"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// scene is an API server with one Gateway and one Certificate, one of whose
// hostnames is none. A sweep of it has something to measure by every instrument.
type scene struct {
	reconcile.Cluster // nil: the rest is not asked for
}

func (scene) OrdersVersions(context.Context) bool { return true }

func (scene) Gateway(context.Context, types.NamespacedName) (*gatewayv1.Gateway, error) {
	return &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "edge", ResourceVersion: "1"},
		Spec:       gatewayv1.GatewaySpec{Listeners: []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}}},
	}, nil
}

func (scene) CertificatesOf(context.Context, cluster.CertificateQuery) (*certmanagerv1.CertificateList, error) {
	return &certmanagerv1.CertificateList{Items: []certmanagerv1.Certificate{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "app", ResourceVersion: "1", Labels: map[string]string{plan.GatewayNameKey: "edge"}},
		Spec:       certmanagerv1.CertificateSpec{SecretName: "tls", DNSNames: []string{"app.example.com", "*"}},
	}}}, nil
}

func (s scene) LabelledCertificates(ctx context.Context) (*certmanagerv1.CertificateList, error) {
	return s.CertificatesOf(ctx, cluster.CertificateQuery{})
}

func (scene) LatestManagedGateways(context.Context) ([]gatewayv1.Gateway, error) { return nil, nil }

func (scene) GatewayNames(context.Context) (map[types.NamespacedName]bool, error) {
	return map[types.NamespacedName]bool{{Namespace: "infra", Name: "edge"}: true}, nil
}

func (scene) Namespaces(context.Context, []string) (map[string]metav1.ObjectMeta, error) {
	return map[string]metav1.ObjectMeta{"infra": {Name: "infra"}}, nil
}

func (scene) ReferenceGrants(context.Context) ([]gatewayv1.ReferenceGrant, error) { return nil, nil }

func (scene) Write(_ context.Context, gateway *gatewayv1.Gateway, _ plan.Plan) (*gatewayv1.Gateway, error) {
	return gateway, nil
}

func (scene) Record(context.Context, cluster.Event) error { return nil }

// pointsOfASweep are the metrics that leave the process after one, of which
// somebody is told, and after new settings.
func pointsOfASweep(t *testing.T) []collector.Point {
	t.Helper()
	c, err := collector.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", c.Endpoint()+"/v1/metrics")
	logger := slog.New(slog.DiscardHandler)
	signals, err := telemetry.Start(t.Context(), telemetry.Options{
		Logger: logger, Client: func(telemetry.Connection) (*http.Client, error) { return &http.Client{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	h := handler.New(handler.Options{
		Reconciler: reconcile.New(reconcile.Options{Cluster: scene{}, Tracing: noop.NewTracerProvider(), Metrics: signals.Metrics}),
		Tracing:    noop.NewTracerProvider(), Metrics: signals.Metrics, Logger: logger,
	})
	sink := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(sink.Close)
	to, err := outcomes.ParseSink(sink.URL)
	if err != nil {
		t.Fatal(err)
	}
	sender := outcomes.New(outcomes.Options{Sink: to, Client: sink.Client(), Tracing: noop.NewTracerProvider(), Metrics: signals.Metrics, Logger: logger})
	h.WithOutcomes(sender)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(""))
	for name, value := range map[string]string{"Id": "1", "Specversion": "1.0", "Source": "/test", "Type": "dev.knative.sources.ping"} {
		request.Header.Set("Ce-"+name, value)
	}
	response := httptest.NewRecorder()
	h.ServeHTTP(response, request)
	if response.Code != http.StatusNoContent {
		t.Fatalf("the sweep is answered %d, want 204", response.Code)
	}
	notice.New(notice.Options{Logger: logger, Metrics: signals.Metrics}).Taken(t.Context(), 2)
	sender.Close(t.Context())
	signals.Shutdown(t.Context())
	return c.Points()
}
