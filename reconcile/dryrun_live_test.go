package reconcile_test

import (
	"slices"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

func TestADryRunLeavesTheGatewayUntouchedUntilItEnds(t *testing.T) {
	user := namespace.New(t, plane.Config())
	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	reconciler := reconcile.New(reconcile.Options{Cluster: apiServer, Tracing: noop.NewTracerProvider()})
	user.CreateGateway("edge", nil)
	mode := func(value string) {
		_, err := user.Gateways.Patch(t.Context(), "edge", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"gateway-cert-operator.io/mode":`+value+`}}}`), metav1.PatchOptions{})
		namespace.Must(t, err)
	}
	mode(`"DryRun"`)
	user.CreateCertificate("a", "edge", "a.example.com")
	before, err := user.Gateways.Get(t.Context(), "edge", metav1.GetOptions{})
	namespace.Must(t, err)
	for range 2 {
		outcomes, err := reconciler.Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
		namespace.Must(t, err)
		i := slices.IndexFunc(outcomes, func(o reconcile.Outcome) bool { return o.Gateway.Namespace == user.Name })
		if i < 0 || outcomes[i].Verdict != reconcile.DryRun || outcomes[i].ReportErr != nil {
			t.Errorf("outcomes are %+v, want one of a dry run that was told", outcomes)
		}
	}
	after, err := user.Gateways.Get(t.Context(), "edge", metav1.GetOptions{})
	namespace.Must(t, err)
	if before.ResourceVersion != after.ResourceVersion {
		t.Errorf("the Gateway was written: its version was %s and is %s", before.ResourceVersion, after.ResourceVersion)
	}
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	events, err := client.EventsV1().Events(user.Name).List(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=edge,reason=DryRun"})
	namespace.Must(t, err)
	if len(events.Items) != 1 {
		t.Errorf("%d Events DryRun on the Gateway, want one", len(events.Items))
	}

	mode("null")
	_, err = reconciler.Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
	namespace.Must(t, err)
	if got, want := hostnames(t, user), "edge: http a.example.com"; got != want {
		t.Errorf("listeners are %s, want %s", got, want)
	}
}
