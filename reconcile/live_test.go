package reconcile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	certmanagerclient "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/typed/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
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
	config := plane.Config()
	core, err := kubernetes.NewForConfig(config)
	must(t, err)
	certmanager, err := certmanagerclient.NewForConfig(config)
	must(t, err)
	gatewayAPI, err := gatewayclient.NewForConfig(config)
	must(t, err)
	namespace, err := core.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "sweep-"}}, metav1.CreateOptions{})
	must(t, err)
	certificates, gateways := certmanager.Certificates(namespace.Name), gatewayAPI.Gateways(namespace.Name)
	apiServer, err := cluster.New(config, noop.NewTracerProvider())
	must(t, err)
	reconciler := reconcile.New(apiServer, noop.NewTracerProvider())

	for _, name := range []string{"one", "two", "user-only"} {
		made := gateway(name, "")
		made.Namespace, made.ResourceVersion, made.Spec.GatewayClassName = "", "", "example"
		_, err := gateways.Create(t.Context(), &made, metav1.CreateOptions{})
		must(t, err)
	}
	for _, step := range []struct {
		name   string
		change func()
		want   string
	}{
		{"created", func() {
			for _, name := range []string{"one", "two"} {
				_, err := certificates.Create(t.Context(), &certmanagerv1.Certificate{
					ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{plan.GatewayNameKey: name}},
					Spec: certmanagerv1.CertificateSpec{
						SecretName: name, DNSNames: []string{name + ".example.com"}, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
					},
				}, metav1.CreateOptions{})
				must(t, err)
			}
		}, "one: http one.example.com; two: http two.example.com; user-only: http"},
		{"nothing", func() {}, "one: http one.example.com; two: http two.example.com; user-only: http"},
		{"one deleted, the other pointed at its Gateway", func() {
			must(t, certificates.Delete(t.Context(), "one", metav1.DeleteOptions{}))
			two, err := certificates.Get(t.Context(), "two", metav1.GetOptions{})
			must(t, err)
			two.Labels[plan.GatewayNameKey] = "one"
			_, err = certificates.Update(t.Context(), two, metav1.UpdateOptions{})
			must(t, err)
		}, "one: http two.example.com; two: http; user-only: http"},
		{"all deleted", func() {
			must(t, certificates.Delete(t.Context(), "two", metav1.DeleteOptions{}))
		}, "one: http; two: http; user-only: http"},
	} {
		step.change()
		outcomes, err := reconciler.Handle(t.Context(), reconcile.Change{Kind: reconcile.Everything})
		must(t, err)
		for _, o := range outcomes {
			if o.Err != nil {
				t.Errorf("%s: %s: %v", step.name, o.Gateway, o.Err)
			}
		}
		list, err := gateways.List(t.Context(), metav1.ListOptions{})
		must(t, err)
		var got []string
		for _, g := range list.Items {
			line := g.Name + ":"
			for _, l := range g.Spec.Listeners {
				if l.Hostname != nil {
					line += fmt.Sprintf(" %s", *l.Hostname)
				} else {
					line += " " + string(l.Name)
				}
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(step.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: listeners (-want +got):\n%s", step.name, diff)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
