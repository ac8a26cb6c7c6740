package admission

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// former are objects that were malformed before the policy came. The Gateway and
// the Certificate belong together.
func former() []client.Object {
	edge := annotated(gateway, "allowed-routes", "all")
	edge.GetAnnotations()[plan.AttachKey] = "never"
	edge.SetName("former")
	app := annotated(certificate, "listener-port", "https")
	app.GetLabels()[plan.GatewayNameKey] = "former"
	app.GetLabels()[plan.GatewayNamespaceKey] = "No_Namespace"
	app.SetName("former")
	of := annotated(tenant, "allowed-hostnames", "*")
	of.SetName("former")
	return []client.Object{edge, app, of}
}

// served is a Certificate that the handler can serve on the Gateway among them.
func served() *certmanagerv1.Certificate {
	app := plain(certificate).(*certmanagerv1.Certificate)
	app.Name = "served"
	app.Labels[plan.GatewayNameKey] = "former"
	return app
}

// formerly reads one of them as it stands.
func formerly(t testing.TB, c client.Client, k kind) client.Object {
	t.Helper()
	object := plain(k)
	object.SetName("former")
	namespace.Must(t, c.Get(t.Context(), client.ObjectKeyFromObject(object), object))
	return object
}

func TestWhatWasMalformedBeforeMayBeWrittenForOtherReasons(t *testing.T) {
	c := mustClient(t)
	for _, k := range []kind{certificate, gateway, tenant} {
		for name, mutate := range map[string]func(client.Object){
			"a label":               func(o client.Object) { o.SetLabels(with(o.GetLabels(), "a", "b")) },
			"another's annotation":  func(o client.Object) { o.SetAnnotations(with(o.GetAnnotations(), "example.com/attach", "never")) },
			"a finalizer":           func(o client.Object) { o.SetFinalizers([]string{"example.com/finalizer"}) },
			"the handler's own":     func(o client.Object) { o.SetAnnotations(with(o.GetAnnotations(), plan.LedgerKey, "{")) },
			"all annotations taken": func(o client.Object) { o.SetAnnotations(nil) },
		} {
			t.Run(string(k)+": "+name, func(t *testing.T) {
				object := formerly(t, c, k)
				mutate(object)
				if err := c.Update(t.Context(), object, client.DryRunAll); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestWhatWasMalformedBeforeMayHaveAStatus(t *testing.T) {
	c := mustClient(t)
	app := formerly(t, c, certificate).(*certmanagerv1.Certificate)
	app.Status.Conditions = []certmanagerv1.CertificateCondition{{Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionTrue}}
	if err := c.Status().Update(t.Context(), app, client.DryRunAll); err != nil {
		t.Errorf("cert-manager's: %v", err)
	}
	edge := formerly(t, c, gateway).(*gatewayv1.Gateway)
	edge.Status.Conditions = []metav1.Condition{{Type: "Accepted", Status: "True", Reason: "Accepted", LastTransitionTime: metav1.Now()}}
	if err := c.Status().Update(t.Context(), edge, client.DryRunAll); err != nil {
		t.Errorf("the Gateway controller's: %v", err)
	}
}

func TestWhatIsMalformedAnewIsRefusedBesideWhatWasMalformedBefore(t *testing.T) {
	c := mustClient(t)
	for name, tc := range map[string]struct {
		k    kind
		key  string
		text string
		want string
	}{
		"another annotation":         {gateway, "paused", "yes", `annotation gateway-cert-operator.io/paused is "yes": want false or true`},
		"another text of the same":   {gateway, "attach", "Never", `annotation gateway-cert-operator.io/attach is "Never": want Always or WhenReady`},
		"a Certificate's annotation": {certificate, "listener-port", "0", `the Certificate's annotation gateway-cert-operator.io/listener-port is "0": want a port from 1 to 65535`},
		"a Namespace's annotation":   {tenant, "allowed-hostnames", "*,", `annotation gateway-cert-operator.io/allowed-hostnames is "*,": "*": a bare * would take every hostname`},
		"mended":                     {gateway, "attach", "WhenReady", ""},
	} {
		t.Run(name, func(t *testing.T) {
			object := formerly(t, c, tc.k)
			object.GetAnnotations()[plan.KeyPrefix+tc.key] = tc.text
			said, err := words(c.Update(t.Context(), object, client.DryRunAll))
			namespace.Must(t, err)
			if said != tc.want {
				t.Errorf("the policy says %q, want %q", said, tc.want)
			}
		})
	}
}

func TestALabelIsJudgedOnlyWhenItIsWritten(t *testing.T) {
	c := mustClient(t)
	app := formerly(t, c, certificate)
	app.GetLabels()[plan.GatewayNameKey] = "The_Edge"
	said, err := words(c.Update(t.Context(), app, client.DryRunAll))
	namespace.Must(t, err)
	if want := `label gateway-cert-operator.io/gateway-name is "The_Edge": no Gateway can be called that`; said != want {
		t.Errorf("the policy says %q, want %q", said, want)
	}
}

func TestWhatWasMalformedBeforeMayGo(t *testing.T) {
	c := mustClient(t)
	for _, k := range []kind{certificate, gateway} {
		if err := c.Delete(t.Context(), formerly(t, c, k), client.DryRunAll); err != nil {
			t.Errorf("%s: %v", k, err)
		}
	}
}

// The handler writes to a Gateway whose annotations it cannot read.
func TestTheHandlersOwnWritesPass(t *testing.T) {
	c := mustClient(t)
	app := served()
	namespace.Must(t, c.Create(t.Context(), app))
	app.Status.Conditions = []certmanagerv1.CertificateCondition{{Type: certmanagerv1.CertificateConditionReady, Status: cmmeta.ConditionTrue}}
	namespace.Must(t, c.Status().Update(t.Context(), app))

	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	reconciler := reconcile.New(reconcile.Options{Cluster: apiServer, Tracing: noop.NewTracerProvider()})
	outcomes, err := reconciler.Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
	namespace.Must(t, err)
	for _, o := range outcomes {
		if o.Gateway == (types.NamespacedName{Namespace: home, Name: "former"}) && o.Err != nil {
			t.Error(o.Err)
		}
	}
	written := formerly(t, c, gateway).(*gatewayv1.Gateway)
	if written.Annotations[plan.LedgerKey] == "" || written.Labels[plan.ManagedKey] != plan.ManagedValue || len(written.Spec.Listeners) != 2 {
		t.Errorf("annotations %q, labels %q, %d listeners; want it written", written.Annotations, written.Labels, len(written.Spec.Listeners))
	}
}

func with(of map[string]string, key, text string) map[string]string {
	if of == nil {
		of = map[string]string{}
	}
	of[key] = text
	return of
}
