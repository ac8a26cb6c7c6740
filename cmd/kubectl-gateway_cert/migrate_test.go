package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

func TestW4MigrateShowsWhatIsToBeDoneAndChangesNothing(t *testing.T) {
	s := newScene(t)
	before := s.versions()
	for format, file := range map[string]string{"table": "plan.txt", "json": "plan.json", "yaml": "plan.yaml"} {
		stdout, stderr := s.migrate(2, "-o", format)
		s.golden(file, stdout)
		if want := "3 Certificates to label, 1 stale listener to remove. Nothing was changed; add --apply to do it.\n"; stderr != want {
			t.Errorf("it says %q, want %q", stderr, want)
		}
	}
	if diff := cmp.Diff(before, s.versions()); diff != "" {
		t.Errorf("resourceVersions (-before +after):\n%s", diff)
	}
}

func TestW4MigrateAppliesAndThenTheHandlerTakesOverWithoutAChange(t *testing.T) {
	s := newScene(t)
	before := s.RawListeners("edge")
	order := listenerNames(s.Gateway("edge"))

	stdout, stderr := s.migrate(0, "--apply")
	s.golden("applied.txt", stdout)
	if want := "3 Certificates labelled, 1 stale listener removed.\n"; stderr != want {
		t.Errorf("it says %q, want %q", stderr, want)
	}
	delete(before, "auto-gone-gone-example-com")
	if diff := cmp.Diff(before, s.RawListeners("edge")); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	if got, want := listenerNames(s.Gateway("edge")), strings.Replace(order, "auto-gone-gone-example-com ", "", 1); got != want {
		t.Errorf("order = %s, want %s", got, want)
	}
	for certificate, want := range map[string]map[string]string{
		"app":  {plan.GatewayNameKey: "edge"},
		"shop": {plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: s.Name},
		"typo": {plan.GatewayNameKey: "egde"},
	} {
		if diff := cmp.Diff(want, s.labels(certificate)); diff != "" {
			t.Errorf("labels of Certificate %s (-want +got):\n%s", certificate, diff)
		}
	}

	s.sweep()
	if diff := cmp.Diff(before, s.RawListeners("edge")); diff != "" {
		t.Errorf("listeners (-before +after the handler came):\n%s", diff)
	}
	ledger, err := plan.ParseLedger(s.Gateway("edge").Annotations[plan.LedgerKey])
	namespace.Must(t, err)
	want := plan.Ledger{
		"auto-app-app-example-com":            {Certificate: named(s, "app")},
		"auto-shop-wildcard-shop-example-com": {Certificate: named(s, "shop"), Hostname: "*.shop.example.com"},
	}
	if diff := cmp.Diff(want, ledger); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}

	settled := s.versions()
	_, stderr = s.migrate(0, "--apply")
	if stderr != "There is nothing to do.\n" || !maps.Equal(settled, s.versions()) {
		t.Errorf("the second time it says %q and leaves %v, want %v", stderr, s.versions(), settled)
	}
}

// sweep is the handler's look at everything. No listener here may change.
func (s *scene) sweep() {
	s.t.Helper()
	for _, change := range handle(s.t, s.Name) {
		s.t.Errorf("the handler has changed %+v, want nothing", change)
	}
}

// handle is the handler's look at everything; it returns what that has changed in
// the namespace.
func handle(t *testing.T, namespaceName string) (changes []plan.Change) {
	t.Helper()
	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	reconciler := reconcile.New(reconcile.Options{Cluster: apiServer, Tracing: noop.NewTracerProvider()})
	outcomes, err := reconciler.Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
	namespace.Must(t, err)
	for _, o := range outcomes {
		if o.Gateway.Namespace == namespaceName {
			namespace.Must(t, o.Err)
			changes = append(changes, o.Plan.Changes...)
		}
	}
	return changes
}

func named(s *scene, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: s.Name, Name: name}
}

func listenerNames(gateway *gatewayv1.Gateway) string {
	var names []string
	for _, l := range gateway.Spec.Listeners {
		names = append(names, string(l.Name))
	}
	return strings.Join(names, " ")
}

func TestMigrateOfOneGatewayLeavesTheOthersAlone(t *testing.T) {
	s := newScene(t)
	_, stderr := s.migrate(0, "egde", "--apply")
	if !strings.HasPrefix(stderr, "1 Certificate labelled, 0 stale listeners removed") || len(s.labels("app")) > 0 {
		t.Errorf("it says %q and Certificate app has labels %v", stderr, s.labels("app"))
	}
	stdout, stderr := s.migrate(0, "nosuch")
	if !strings.Contains(stdout, "does not exist") || stderr != "There is nothing to do.\n" {
		t.Errorf("of a Gateway that there is not it prints %q and says %q", stdout, stderr)
	}
}

func TestMigrateLooksIntoAllNamespaces(t *testing.T) {
	one, two := newScene(t), newScene(t)
	stdout, _, code := one.run("migrate", "-A")
	if code != 2 || !strings.HasPrefix(stdout, "NAMESPACE ") || !strings.Contains(stdout, one.Name+" ") || !strings.Contains(stdout, two.Name+" ") {
		t.Errorf("exit code %d, want 2 and both namespaces in:\n%s", code, stdout)
	}
}

func TestMigrateReadsTheHandlersDefaults(t *testing.T) {
	s := newScene(t)
	elsewhere := newScene(t)
	elsewhere.annotate("tenant", map[string]string{plan.GatewayNameKey: "shared", plan.GatewayNamespaceKey: s.Name}, "tenant.example.com")
	s.CreateGateway("shared", func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = append(g.Spec.Listeners, elsewhere.byOperator("tenant", "tenant.example.com"))
	})
	settings := t.TempDir() + "/config.yaml"
	namespace.Must(t, writeFile(settings, "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\ndefaults:\n  certificateNamespaces: All\n"))
	for _, tc := range []struct {
		args []string
		says string
	}{
		{nil, "takes no Certificates from namespace " + elsewhere.Name},
		{[]string{"--config", settings}, "the handler will change its allowedRoutes.namespaces"},
	} {
		if stdout, _ := s.migrate(2, append(tc.args, "shared")...); !strings.Contains(stdout, tc.says) {
			t.Errorf("with %v it prints\n%swant that to say %q", tc.args, stdout, tc.says)
		}
	}
}

func TestTheLastListenerIsNotRemoved(t *testing.T) {
	s := &scene{Namespace: namespace.New(t, plane.Config()), shell: newShell(t)}
	s.CreateGateway("edge", func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = []gatewayv1.Listener{s.byOperator("gone", "gone.example.com")}
	})
	before := s.versions()
	stdout, stderr := s.migrate(0, "--apply")
	if !strings.Contains(stdout, "a Gateway must have a listener") || stderr != "There is nothing to do.\n" {
		t.Errorf("it prints %q and says %q", stdout, stderr)
	}
	if diff := cmp.Diff(before, s.versions()); diff != "" {
		t.Errorf("resourceVersions (-before +after):\n%s", diff)
	}
}

// What was read is not what is there any more; the rest is done all the same.
func TestWhatHasChangedSinceItWasReadIsLeftAlone(t *testing.T) {
	s := newScene(t)
	api, r, gateways := s.readAndDecide()
	for _, patch := range []func() error{
		func() error {
			_, err := s.Gateways.Patch(t.Context(), "edge", types.MergePatchType, []byte(`{"metadata":{"labels":{"c":"d"}}}`), metav1.PatchOptions{})
			return err
		},
		func() error {
			_, err := s.Certificates.Patch(t.Context(), "app", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b","c":"d"}}}`), metav1.PatchOptions{})
			return err
		},
	} {
		namespace.Must(t, patch())
	}
	before := s.RawListeners("edge")
	err := api.apply(t.Context(), gateways, &r)
	if err == nil || strings.Count(err.Error(), errOutdated.Error()) != 2 {
		t.Errorf("apply = %v, want two times that it has changed", err)
	}
	if diff := cmp.Diff(before, s.RawListeners("edge")); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"c": "d"}, s.labels("app")); diff != "" {
		t.Errorf("labels of the changed Certificate (-want +got):\n%s", diff)
	}
	if got := s.labels("shop")[plan.GatewayNameKey]; got != "edge" {
		t.Errorf("Certificate shop is labelled %q, want edge", got)
	}
}
