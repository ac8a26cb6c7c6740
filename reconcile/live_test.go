package reconcile_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

var plane *controlplane.ControlPlane

func TestMain(m *testing.M) {
	os.Exit(controlplane.WithControlPlane(func(p *controlplane.ControlPlane) int {
		plane = p
		return m.Run()
	}))
}

// No adapter runs here, so nothing but a look at everything can tell what has
// changed: Certificates that came, changed and went.
func TestALookAtEverythingPutsRightWhatNoEventHasTold(t *testing.T) {
	user := namespace.New(t, plane.Config())
	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	reconciler := reconcile.New(reconcile.Options{Cluster: apiServer, Tracing: noop.NewTracerProvider()})
	for _, name := range []string{"one", "two", "user-only"} {
		user.CreateGateway(name, nil)
	}
	for _, step := range []struct {
		name   string
		change func()
		want   string
	}{
		{"two created", func() {
			user.CreateCertificate("a", "one", "a.example.com")
			user.CreateCertificate("b", "two", "b.example.com")
		}, "one: http a.example.com; two: http b.example.com; user-only: http"},
		{"nothing", func() {}, "one: http a.example.com; two: http b.example.com; user-only: http"},
		{"one deleted, the other pointed at its Gateway", func() {
			namespace.Must(t, user.Certificates.Delete(t.Context(), "a", metav1.DeleteOptions{}))
			_, err := user.Certificates.Patch(t.Context(), "b", types.MergePatchType,
				[]byte(`{"metadata":{"labels":{"gateway-cert-operator.io/gateway-name":"one"}}}`), metav1.PatchOptions{})
			namespace.Must(t, err)
		}, "one: http b.example.com; two: http; user-only: http"},
		{"all deleted", func() {
			namespace.Must(t, user.Certificates.Delete(t.Context(), "b", metav1.DeleteOptions{}))
		}, "one: http; two: http; user-only: http"},
	} {
		step.change()
		outcomes, err := reconciler.Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
		namespace.Must(t, err)
		for _, o := range outcomes {
			namespace.Must(t, o.Err)
		}
		if diff := cmp.Diff(step.want, hostnames(t, user)); diff != "" {
			t.Errorf("%s: listeners (-want +got):\n%s", step.name, diff)
		}
	}
}

// hostnames lists each Gateway's listeners by their hostnames, those without by
// their names.
func hostnames(t *testing.T, user *namespace.Namespace) string {
	t.Helper()
	list, err := user.Gateways.List(t.Context(), metav1.ListOptions{})
	namespace.Must(t, err)
	var lines []string
	for _, g := range list.Items {
		line := g.Name + ":"
		for _, l := range g.Spec.Listeners {
			if l.Hostname != nil {
				line += " " + string(*l.Hostname)
			} else {
				line += " " + string(l.Name)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}
